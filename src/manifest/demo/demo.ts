import { parseUsd } from "../../base/money.ts";
import type { ModelDeclaration } from "../../catalog/models-store.ts";
import { UPSTREAM_DEFAULTS } from "../../catalog/upstreams-store.ts";
import { CHAT_PROTOCOLS } from "../../conversation/protocol-name.ts";
import type { FamilyName } from "../../families/family.ts";
import { FAMILIES } from "../../families/table.ts";
import type { Change } from "../diff/changes.ts";
import type { State } from "../diff/state.ts";
import { DEFAULT_GROUP, type Manifest } from "../manifest.ts";

export interface DemoOptions {
  /** Root address of the embedded sandbox, which has a new port at every start. */
  readonly sandboxUrl: string;
  /** The first key of the demo account; undefined = there are accounts already. */
  readonly bootstrapKey?: string | undefined;
}

const DEMO_UPSTREAM = "sandbox";
const DEMO_ACCOUNT = "demo";

/**
 * The catalog of a gateway without a catalog file: models of every kind on the embedded sandbox and an account with a
 * demo balance. It is put into an empty database, once: see startWithDemo().
 */
export function demoManifest({ sandboxUrl, bootstrapKey }: DemoOptions): Manifest {
  return {
    sections: new Set(["models", "upstreams", "accounts"]),
    groups: [],
    models: MODELS,
    upstreams: [
      {
        ...UPSTREAM_DEFAULTS,
        name: DEMO_UPSTREAM,
        kind: "sandbox",
        priority: DEMO_PRIORITY,
        baseUrl: sandboxUrl.replace(/\/+$/, ""),
        models: new Map(MODELS.map(({ id }) => [id, id])),
        credentials: [],
      },
    ],
    settings: {},
    accounts:
      bootstrapKey === undefined
        ? []
        : [
            {
              name: DEMO_ACCOUNT,
              group: DEFAULT_GROUP,
              balanceNanos: parseUsd(25),
              keys: [{ name: "bootstrap", credential: bootstrapKey, reference: null }],
            },
          ],
  };
}

/** The demo comes last if another upstream serves the same model, because its responses are made up. */
const DEMO_PRIORITY = 1_000_000;

const MODEL = {
  family: null,
  variant: null,
  ownedBy: "faregate",
  groups: null,
  contextTokens: null,
  maxOutputTokens: null,
  quirks: {},
} as const;

function price(usd: {
  input: string;
  output?: string;
  cacheRead?: string;
  cacheWrite?: string;
  cacheWrite1h?: string;
}) {
  const rates = Object.fromEntries(Object.entries(usd).map(([rate, amount]) => [rate, parseUsd(amount)]));
  return { rates, media: {} };
}

/** Models of a family; USD an image by tier, or a second of video by resolution. */
function mediaModels(
  family: FamilyName,
  ids: readonly string[],
  usd: Readonly<Record<string, string>>,
): ModelDeclaration[] {
  const isImage = FAMILIES[family].medium === "image";
  const amounts = Object.fromEntries(Object.entries(usd).map(([word, amount]) => [word, parseUsd(amount)]));
  return ids.map((id) => ({
    ...MODEL,
    id,
    family,
    endpoints: [isImage ? "images" : "videos"],
    price: { rates: {}, media: { [isImage ? "perImage" : "perSecond"]: amounts } },
  }));
}

/** Priced like vendors price, so that receipts look as they will. */
const MODELS: readonly ModelDeclaration[] = [
  {
    ...MODEL,
    id: "text-large",
    endpoints: CHAT_PROTOCOLS,
    contextTokens: 200_000,
    maxOutputTokens: 32_000,
    price: price({ input: "3", output: "15", cacheRead: "0.30", cacheWrite: "3.75", cacheWrite1h: "6" }),
  },
  {
    ...MODEL,
    id: "text-small",
    endpoints: CHAT_PROTOCOLS,
    contextTokens: 128_000,
    maxOutputTokens: 16_000,
    price: price({
      input: "0.25",
      output: "1.25",
      cacheRead: "0.03",
      cacheWrite: "0.30",
      cacheWrite1h: "0.50",
    }),
  },
  { ...MODEL, id: "embed-small", endpoints: ["embeddings"], price: price({ input: "0.02" }) },
  { ...MODEL, id: "rerank-1", endpoints: ["rerank"], price: price({ input: "0.05" }) },
  ...mediaModels("imagegen", ["imagegen-2"], { "1k": "0.04", "2k": "0.08", "4k": "0.16" }),
  ...mediaModels("imagegen", ["imagegen-2.5-flare", "imagegen-2.5-sunburst"], {
    "1k": "0.06",
    "2k": "0.12",
    "4k": "0.24",
  }),
  ...mediaModels("videoa", ["videoa-2.0"], { "720p": "0.10", "1080p": "0.22" }),
  ...mediaModels("videoa", ["videoa-2.0-fast"], { "720p": "0.06" }),
  ...mediaModels("videoa", ["videoa-2.0-mini"], { "720p": "0.03" }),
  ...mediaModels("videoa", ["videoa-2.5"], { "720p": "0.12", "1080p": "0.26" }),
  ...mediaModels("videob", ["videob-3.0-video"], { "480p": "0.05", "720p": "0.09", "1080p": "0.18" }),
  ...mediaModels("videob", ["videob-3.0-video-prime"], { "480p": "0.07", "720p": "0.12", "1080p": "0.24" }),
  ...mediaModels("videoc", ["videoc-H3-Comfy"], { "480p": "0.04", "768p": "0.08" }),
];

interface NamedUpstreams {
  readonly upstreams: readonly { readonly name: string; readonly kind: string }[];
}

/**
 * A sentence where the demo's account stays beside upstreams of real vendors: whoever has its key, which was printed at the
 * first start, can spend its demo balance there.
 */
export function demoAccountWarnings(
  {
    upstreams,
    accounts,
  }: NamedUpstreams & {
    readonly accounts: readonly Pick<State["accounts"][number], "name" | "disabled">[];
  },
  manifest: NamedUpstreams & Pick<Manifest, "accounts">,
  changes: readonly Change[],
): string[] {
  const ends = (subject: Change["subject"], name: string): boolean =>
    changes.some(
      (change) =>
        change.subject === subject &&
        change.name === name &&
        (change.action === "delete" || change.action === "disable"),
    );
  const isKept = accounts.some(
    ({ name, disabled }) => name === DEMO_ACCOUNT && !disabled && !ends("account", name),
  );
  const isOwn = manifest.accounts.some(({ name }) => name === DEMO_ACCOUNT);
  const kept = upstreams.filter(({ name }) => !ends("upstream", name));
  const isReal = [...manifest.upstreams, ...kept].some(({ kind }) => kind !== "sandbox");
  if (!isKept || isOwn || !isReal) return [];
  return [
    `the demo account \`${DEMO_ACCOUNT}\` can spend its demo balance at real vendors; apply the file with --remove-demo, or suspend the account`,
  ];
}

/**
 * Removes the demo beside a file: its upstream, its account, and its models, except those that the file names itself or
 * that another upstream serves. Accounts are disabled, never deleted.
 */
export function demoRemovals(
  state: Pick<State, "models" | "upstreams" | "accounts">,
  manifest: Manifest,
): Change[] {
  const { upstreams, accounts, models } = manifest;
  const isOwn = upstreams.some(({ name }) => name === DEMO_UPSTREAM);
  const served = new Set(
    [...upstreams, ...state.upstreams.filter(({ name }) => isOwn || name !== DEMO_UPSTREAM)].flatMap(
      (each) => [...each.models.keys()],
    ),
  );
  const kept = new Set([...served, ...models.map(({ id }) => id)]);
  const demoIds = new Set(MODELS.map(({ id }) => id));
  return [
    ...state.accounts.flatMap(({ name, disabled }): Change[] =>
      name === DEMO_ACCOUNT && !disabled && !accounts.some((account) => account.name === name)
        ? [
            {
              subject: "account",
              action: "disable",
              name,
              details: ["suspended; accounts are never deleted"],
            },
          ]
        : [],
    ),
    ...state.upstreams.flatMap(({ name, kind }): Change[] =>
      name === DEMO_UPSTREAM && kind === "sandbox" && !isOwn
        ? [{ subject: "upstream", action: "delete", name, details: [] }]
        : [],
    ),
    ...state.models.flatMap(({ id }): Change[] =>
      demoIds.has(id) && !kept.has(id) ? [{ subject: "model", action: "delete", name: id, details: [] }] : [],
    ),
  ];
}
