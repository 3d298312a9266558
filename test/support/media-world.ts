import { startGateway, TEST_KEY, type TestGateway } from "./gateway.ts";
import { type JournalLine, startSandbox, type TestSandbox } from "./sandbox.ts";
import { waitFor } from "./wait.ts";
import { type AskOptions, ask, type Reply } from "./world.ts";

/** Keys of the media world's accounts. */
export const MEDIA_KEYS = {
  /** Account acme, plenty of money. */
  main: TEST_KEY,
  /** Another key of acme, which may call nothing but `text`. */
  narrow: "narrow-key-0123456789abcdef",
  /** Another account, in group partners, which pays half. */
  partner: "partner-key-0123456789abcdef",
  /** An account without money. */
  poor: "poor-key-0123456789abcdef",
  invalid: "no-such-key-0123456789abcdef",
} as const;

/** USD by word; no two alike, so that a wrong word shows in the charge. */
export const MEDIA_PRICES = {
  imagegen: { "1k": 0.04, "2k": 0.09, "4k": 0.17 },
  videoa: { "720p": 0.1, "1080p": 0.22 },
  videob: { "480p": 0.05, "720p": 0.11, "1080p": 0.18 },
  videoc: { "480p": 0.03, "768p": 0.08 },
} as const;

export const MEDIA_MODELS = {
  imagegen: ["imagegen-2", "imagegen-2.5-flare", "imagegen-2.5-sunburst"],
  videoa: ["videoa-2.0", "videoa-2.0-fast", "videoa-2.0-mini", "videoa-2.5"],
  videob: ["videob-3.0-video", "videob-3.0-video-prime"],
  videoc: ["videoc-H3-Comfy"],
} as const;

type FamilyName = keyof typeof MEDIA_MODELS;
const FAMILIES = Object.keys(MEDIA_MODELS) as FamilyName[];

function modelLine(family: FamilyName, id: string): string {
  const unit = family === "imagegen" ? "per_image" : "per_second";
  return `  - { id: ${id}, family: ${family}, price: { ${unit}: ${JSON.stringify(MEDIA_PRICES[family])} } }`;
}

function catalog(sandboxUrl: string): string {
  const models = FAMILIES.flatMap((family) => MEDIA_MODELS[family].map((id) => ({ family, id })));
  const ids = [...models.map(({ id }) => id), "text"];
  return `version: 1
groups: [{ name: default, factor: 1 }, { name: partners, factor: 0.5 }]
models:
${models.map(({ family, id }) => modelLine(family, id)).join("\n")}
  - { id: text, context_tokens: 1000, max_output_tokens: 100, price: { input: 1, output: 1 } }
  - { id: imagegen-unserved, family: imagegen, variant: "2", price: { per_image: { 1k: 1, 2k: 1, 4k: 1 } } }
upstreams:
  - { name: main, kind: sandbox, base_url: "${sandboxUrl}", api_key: good-key, models: ${JSON.stringify(ids)} }
accounts:
  - name: acme
    group: default
    balance: 100000
    keys: [{ name: main, key: ${MEDIA_KEYS.main} }, { name: narrow, key: ${MEDIA_KEYS.narrow}, models: [text] }]
  - { name: partner, group: partners, balance: 1000, keys: [{ name: partner, key: ${MEDIA_KEYS.partner} }] }
  - { name: poor, group: default, keys: [{ name: poor, key: ${MEDIA_KEYS.poor} }] }
`;
}

/** A started gateway that makes pictures and videos on a sandbox which takes no time for them. */
export interface MediaWorld {
  readonly url: string;
  readonly gateway: TestGateway;
  readonly sandbox: TestSandbox;
  ask(path: string, body?: object | string | Buffer, options?: AskOptions): Promise<Reply>;
  /** Submits where the model belongs; the prompt is given a tag by which `received` finds it. */
  submit(body: Readonly<Record<string, unknown>>, options?: AskOptions): Promise<Reply>;
  /** The body of the submit with this tag as the upstream got it. */
  received(tag: string): Promise<Readonly<Record<string, unknown>>>;
  /** The record of a task once it is final. */
  final(id: string, options?: AskOptions): Promise<Reply["json"]>;
  stop(): Promise<void>;
}

export const IMAGES = "/v1/images/generations";
export const IMAGE_TASKS = "/v1/images/tasks";
export const VIDEOS = "/v2/videos/generations";

/** Call in beforeAll, one world per file; stop it in afterAll. */
export async function startMediaWorld(env: Readonly<Record<string, string>> = {}): Promise<MediaWorld> {
  const sandbox = await startSandbox();
  try {
    await sandbox.script({ match: { path: "/generations" }, directive: "takes=0" });
    const gateway = await startGateway({ catalog: catalog(sandbox.url), env });
    const exchange = (path: string, body?: object | string | Buffer, options?: AskOptions) =>
      ask(gateway.url, path, body, options);
    const images = new Set<string>();
    return {
      url: gateway.url,
      gateway,
      sandbox,
      ask: exchange,
      async submit(body, options) {
        const isImage = String(body["model"]).startsWith("imagegen");
        const reply = await exchange(isImage ? IMAGES : VIDEOS, body, options);
        if (isImage && reply.status === 200) images.add(reply.json.id);
        return reply;
      },
      received: (tag) =>
        waitFor(`the submit ${tag} at the upstream`, async () => {
          const line = (await sandbox.journal()).find((each) => each["tag"] === tag && isSubmit(each));
          return (line?.["media"] as { body?: Readonly<Record<string, unknown>> } | undefined)?.body;
        }),
      final: (id, options) =>
        waitFor(`the end of ${id}`, async () => {
          const path = images.has(id) ? IMAGE_TASKS : VIDEOS;
          const { json } = await exchange(`${path}/${id}?wait=10`, undefined, options);
          return /^(SUCCESS|FAILED|FAILURE)$/.test(json.status) && json;
        }),
      async stop() {
        await gateway.end();
        await gateway.clean();
        await sandbox.stop();
      },
    };
  } catch (error) {
    await sandbox.stop();
    throw error;
  }
}

function isSubmit({ protocol }: JournalLine): boolean {
  return protocol === "image-submit" || protocol === "video-submit";
}

let tags = 0;

/** A prompt's directive with a tag that no other has. */
export function tagged(words: string): { readonly tag: string; readonly prompt: string } {
  tags += 1;
  const tag = `t${tags}`;
  return { tag, prompt: `${words} [[sandbox: tag=${tag}]]` };
}
