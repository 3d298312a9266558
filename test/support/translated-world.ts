import { startGateway, type TestGateway } from "./gateway.ts";
import { type JournalLine, startSandbox, type TestSandbox } from "./sandbox.ts";
import { TEXT_PROTOCOLS, type TextProtocol } from "./text-caller.ts";
import { type AskOptions, ask, KEYS, PRICE, type Reply } from "./world.ts";

/** The model whose upstream speaks this protocol and no other. */
export const MODEL_OF: Readonly<Record<TextProtocol, string>> = {
  "chat-completions": "t-chat",
  responses: "t-responses",
  messages: "t-messages",
  "generate-content": "t-native",
};

export interface Pair {
  readonly client: TextProtocol;
  readonly upstream: TextProtocol;
}

/** All sixteen, the four that are forwarded included: they are what the others are held to. */
export const PAIRS: readonly Pair[] = TEXT_PROTOCOLS.flatMap((client) =>
  TEXT_PROTOCOLS.map((upstream) => ({ client, upstream })),
);

/** The twelve that are translated. */
export const FOREIGN_PAIRS: readonly Pair[] = PAIRS.filter(({ client, upstream }) => client !== upstream);

/** A gateway in front of four upstreams of one protocol each, which refuse each other's signatures. */
export interface TranslatedWorld {
  readonly url: string;
  readonly gateway: TestGateway;
  readonly upstreams: Readonly<Record<TextProtocol, TestSandbox>>;
  ask(path: string, body?: object, options?: AskOptions): Promise<Reply>;
  /** The last request that an upstream saw. */
  lastSeen(protocol: TextProtocol): Promise<JournalLine>;
  stop(): Promise<void>;
}

/** Call in beforeAll, one world per file; stop it in afterAll. */
export async function startTranslatedWorld(): Promise<TranslatedWorld> {
  const started = await Promise.all(
    TEXT_PROTOCOLS.map(async (name) => [name, await startSandbox({ name })] as const),
  );
  const upstreams = Object.fromEntries(started) as Record<TextProtocol, TestSandbox>;
  const stopUpstreams = async (): Promise<void> => {
    await Promise.all(started.map(([, sandbox]) => sandbox.stop()));
  };
  try {
    const gateway = await startGateway({ catalog: catalog(upstreams) });
    return {
      url: gateway.url,
      gateway,
      upstreams,
      ask: (path, body, options) => ask(gateway.url, path, body, options),
      async lastSeen(protocol) {
        const line = (await upstreams[protocol].journal()).at(-1);
        if (line === undefined) throw new Error(`the ${protocol} upstream saw nothing`);
        return line;
      },
      async stop() {
        await gateway.end();
        await gateway.clean();
        await stopUpstreams();
      },
    };
  } catch (error) {
    await stopUpstreams();
    throw error;
  }
}

function catalog(upstreams: Readonly<Record<TextProtocol, TestSandbox>>): string {
  return `version: 1
groups:
  - { name: default, factor: 1 }
models:
${TEXT_PROTOCOLS.map((name) => `  - { id: ${MODEL_OF[name]}, context_tokens: 200000, max_output_tokens: 32000, price: ${JSON.stringify(PRICE)} }`).join("\n")}
upstreams:
${TEXT_PROTOCOLS.map((name) => `  - { name: ${name}, kind: sandbox, base_url: "${upstreams[name].url}", api_key: good-key, protocols: [${name}], models: [${MODEL_OF[name]}] }`).join("\n")}
accounts:
  - name: acme
    group: default
    balance: 1000
    keys: [{ name: main, key: ${KEYS.main} }]
`;
}
