import type { FieldChanges } from "../base/json/field-changes.ts";
import type { ListedTool } from "../catalog/listed-tool-prices.ts";
import type { CloudPlace } from "../catalog/upstream-options.ts";
import { PROTOCOL_NAMES, type ProtocolName } from "../conversation/protocol-name.ts";
import { FAMILY_NAMES, type FamilyName } from "../families/family.ts";
import type { Protocol } from "../protocols/protocol.ts";
import { PROTOCOLS } from "../protocols/table.ts";
import type { Access, AccessContext } from "./access/access.ts";
import { arkAssets } from "./asset-apis/ark-assets.ts";
import { arkKeyProblem, heldInArkCredential, readArkCredential } from "./asset-apis/ark-credential.ts";
import type { AssetApi } from "./asset-apis/asset-api.ts";
import { gatewayAssets } from "./asset-apis/gateway-assets.ts";
import type { Candidate, ResponseReaderOptions, UpstreamResponse } from "./call.ts";
import { AZURE } from "./clouds/azure.ts";
import { BEDROCK, BEDROCK_MANTLE } from "./clouds/bedrock.ts";
import { VERTEX } from "./clouds/vertex.ts";
import type { CountCall } from "./count-call.ts";
import type { CredentialForm } from "./credentials/credential-forms.ts";
import type { FieldCheck } from "./credentials/field-checks.ts";
import type { ModelForm } from "./model-form.ts";
import { apimart } from "./task-apis/apimart.ts";
import { ark } from "./task-apis/ark.ts";
import { dashscope } from "./task-apis/dashscope.ts";
import { gateway, sandbox } from "./task-apis/gateway.ts";
import { minimax } from "./task-apis/minimax.ts";
import { openaiImages } from "./task-apis/openai-images.ts";
import { seedanceRelay } from "./task-apis/seedance-relay.ts";
import type { TaskApi } from "./task-apis/task-api.ts";
import type { EndpointPaths } from "./transport/endpoint-url.ts";
import type { HeaderSpelling } from "./transport/header-spelling.ts";
import { PRESET_NAMES, presetOf } from "./vendor-presets.ts";
import { ANTHROPIC_TOOLS, COMPATIBLE_TOOLS, GEMINI_TOOLS, OPENAI_TOOLS } from "./vendor-tool-prices.ts";

/**
 * A kind of upstream: everything in which vendors differ that the protocol itself does not say, as data.
 * Nothing else in the program asks for a kind's name.
 */
export interface UpstreamKind extends EndpointPaths, HeaderSpelling {
  /** Spoken unless the upstream's own `protocols` says otherwise; that may name whatever `paths` knows. */
  readonly protocols: readonly ProtocolName[];
  /** Compacts conversations itself, in a protocol that has a call for that. */
  readonly compacts?: true;
  /** List prices of its vendor's tools; absent = none is known. */
  readonly listedTools?: readonly ListedTool[];
  /** In which form of the vendor's own embeddings are asked for, by its names of models; the first that matches. Absent = in OpenAI's. */
  readonly embeddingsForms?: readonly EmbeddingsFormOf[];
  /** Some of these servers refuse base64, which the official client asks for, so that all are asked for floats. */
  readonly embedsFloats?: true;
  /** The field in which its vendor wants the end user named, where it is not the first of the protocol's. */
  readonly endUserField?: string;
  /** Without a key such an upstream is surely misconfigured; others may be open inside a private network. */
  readonly needsKey: boolean;
  /** Error answers that are about our account there, beyond what their status says (401, 402, 403). */
  readonly accountFaults: readonly AccountFault[];
  /** The meanings of the vendor's words for the operator, by a part of them (in lower case). */
  readonly troubles?: readonly Trouble[];
  /** Each model is to be enabled or deployed by itself, so that operators' tests try each, which costs nothing. */
  readonly triesModels?: true;
  /** The API for images and videos; null = it has none. */
  readonly taskApi: TaskApi | null;
  /** Families of images and videos that it serves, [] where it has no task API. */
  readonly families: readonly FamilyName[];
  /** The API that stores media for use in videos; null = it has none. */
  readonly assetApi: AssetApi | null;
  /** The forms of credentials, for kinds whose credentials may be more than a key. */
  readonly credentialForms?: readonly CredentialForm[];
  /** Additional check of a key that has a notation of its own. */
  readonly keyCheck?: FieldCheck;
  /** Opens the access for requests that don't carry the credential itself; undefined = the credential is sent. */
  readonly openAccess?: (context: AccessContext) => Access | undefined;
  /** The fields of an upstream's place in a cloud, by the names of the catalog file; true = required. */
  readonly places?: Readonly<Partial<Record<PlaceField, boolean>>>;
  /** Its address where the operator states none; undefined = one must be stated. */
  readonly baseUrlAt?: (place: CloudPlace) => string | undefined;
  /** In which protocols models are asked, by the vendor's name; the first that matches. Absent = in all of the kind's. */
  readonly modelProtocols?: readonly ModelProtocols[];
  /**
   * The differences between its bodies and the protocol's; a removed field may lie deeper, with names joined by dots.
   */
  readonly bodyForms?: BodyForms;
  /** The same of requests that are only counted, where these differ otherwise. */
  readonly countForms?: BodyForms;
  /** Its own call that counts tokens, where it isn't the protocol's (`countPaths`). */
  readonly countCall?: CountCall;
  /** Betas that it refuses requests for, by what their names begin with: they are left out, and named. */
  readonly refusedBetas?: readonly string[];
  /** The betas of a request's headers are wanted in its body too. */
  readonly betasInBody?: true;
  /** Models that are asked in another form than their protocol's; the first that matches. */
  readonly modelForms?: Readonly<Partial<Record<ProtocolName, readonly ModelForm[]>>>;
  /** Reads responses that come in a framing of the kind's own. */
  readonly openResponse?: (response: UpstreamResponse, options: ResponseReaderOptions) => UpstreamResponse;
  /** The parts of a credential that is more than one secret. */
  readonly heldIn?: (secret: string) => HeldInCredential;
}

interface EmbeddingsFormOf {
  readonly names: RegExp;
  readonly form: EmbeddingsFormName;
}

/** Forms in which vectors are asked for, by the call that takes them or by the models that do. */
export type EmbeddingsFormName = "batchEmbedContents" | "embedContent" | "predict" | "titan" | "cohere";

type BodyForms = Readonly<Partial<Record<ProtocolName, FieldChanges>>>;

/** Fields of a catalog file that say where in a cloud an upstream is. */
export type PlaceField = "location" | "project" | "api_version" | "token_url" | "token_scope";

interface ModelProtocols {
  readonly names: RegExp;
  readonly protocols: readonly ProtocolName[];
}

/** The parts of a credential that nobody else is told. */
interface HeldInCredential {
  readonly secrets: readonly string[];
  readonly urls: readonly string[];
  /** Names of the operator's own: a project, a group. */
  readonly names: readonly string[];
}

/** The response has this status and its body contains this text (compared in lower case). */
interface AccountFault {
  readonly status: number;
  readonly contains: string;
}

export interface Trouble {
  readonly contains: string;
  /** The end of a sentence: what is wrong, and what to do. */
  readonly means: string;
}

/** The kind that took over OpenAI's interface, whose vendors are the presets. */
export const PRESET_KIND = "openai-compatible";

/** The kind as a preset has it, if one is named; undefined = no such kind. */
export function kindOf(name: string, preset: string | null = null): UpstreamKind | undefined {
  const kind = Object.hasOwn(KINDS, name) ? KINDS[name as KindName] : undefined;
  return preset !== null && name === PRESET_KIND ? (PRESET_KINDS.get(preset) ?? kind) : kind;
}

/** The form in which a candidate is asked; undefined = in that of its protocol. */
export function modelFormOf({ upstream, protocol, model }: Candidate): ModelForm | undefined {
  const forms = kindOf(upstream.kind)?.modelForms?.[protocol];
  return forms?.find(({ names }) => names.test(model));
}

/** List prices of the vendor's own tools; [] = of a kind that has none. */
export function listedToolsOf(kind: string): readonly ListedTool[] {
  return kindOf(kind)?.listedTools ?? [];
}

/**
 * True if an upstream that is asked in this protocol may compact a conversation: by a call of its own, or by an item or a field
 * of an ordinary request, which each that speaks the protocol is left to know.
 */
export function compactsAt(
  { protocol, upstream }: { readonly protocol: ProtocolName; readonly upstream: { readonly kind: string } },
  requested: "call" | "item" | "field",
): boolean {
  const { compactPath, compactField } = PROTOCOLS[protocol].endpoint;
  if (requested === "field") return compactField !== undefined;
  return compactPath !== undefined && (requested === "item" || kindOf(upstream.kind)?.compacts === true);
}

export type KindName = keyof typeof KINDS;

const BEARER: HeaderSpelling = {
  auth: "bearer",
  versionHeader: "anthropic-version",
  betaHeader: "anthropic-beta",
};

// https://platform.openai.com/docs/guides/error-codes
const NO_QUOTA: AccountFault = { status: 429, contains: "insufficient_quota" };

/** The gateway's own paths of each protocol, which upstreams that are reached below their root share. */
const BELOW_ROOT = pathsOf(({ endpoint }) => endpoint.path) as Readonly<Record<ProtocolName, string>>;

const COUNTED_BELOW_ROOT = pathsOf(({ endpoint }) => endpoint.count?.path);

/** The paths behind base URLs that end in a version, as the SDKs of these vendors require them. */
const BELOW_VERSION = pathsOf(({ endpoint }) => /^\/v1(\/.*)$/.exec(endpoint.path)?.[1]);

function pathsOf(pathOf: (protocol: Protocol) => string | undefined): EndpointPaths["paths"] {
  return Object.fromEntries(
    Object.values(PROTOCOLS).flatMap((protocol) => {
      const path = pathOf(protocol);
      return path === undefined ? [] : [[protocol.name, path]];
    }),
  );
}

/** The paths of a single protocol, for calls that count tokens below the root. */
function only(name: ProtocolName): EndpointPaths["paths"] {
  const path = COUNTED_BELOW_ROOT[name];
  return path === undefined ? {} : { [name]: path };
}

const NO_MEDIA = { taskApi: null, families: [], assetApi: null } as const;

/** Vendors of images and videos only. */
const MEDIA = {
  ...BEARER,
  protocols: [],
  paths: {},
  modelsPath: null,
  betaQuery: false,
  needsKey: true,
  accountFaults: [],
  assetApi: null,
} as const;

const KINDS = {
  openai: {
    ...BEARER,
    listedTools: OPENAI_TOOLS,
    taskApi: openaiImages,
    families: ["imagegen"],
    assetApi: null,
    protocols: ["chat-completions", "responses", "embeddings"],
    // Each model's page lists its endpoints: https://platform.openai.com/docs/models
    modelProtocols: [
      { names: /-search-(preview|api)|audio/, protocols: ["chat-completions"] },
      {
        names: /^(o\d|gpt-[\d.]+)-pro\b|codex|deep-research|^computer-use-preview/,
        protocols: ["responses"],
      },
    ],
    paths: BELOW_VERSION,
    countPaths: { responses: "/responses/input_tokens" },
    compacts: true,
    // https://help.openai.com/en/articles/5428082-incorporating-a-safety-identifier: at most 64 characters.
    endUserField: "safety_identifier",
    modelsPath: "/models",
    betaQuery: false,
    needsKey: true,
    accountFaults: [NO_QUOTA],
  },
  // Servers of one's own (vLLM, Ollama ...) and the many vendors that took over this interface.
  "openai-compatible": {
    ...BEARER,
    listedTools: COMPATIBLE_TOOLS,
    embedsFloats: true,
    ...NO_MEDIA,
    protocols: ["chat-completions", "embeddings"],
    paths: BELOW_VERSION,
    modelsPath: "/models",
    betaQuery: false,
    needsKey: false,
    accountFaults: [NO_QUOTA, { status: 400, contains: "incorrect api key" }],
  },
  anthropic: {
    ...BEARER,
    listedTools: ANTHROPIC_TOOLS,
    ...NO_MEDIA,
    auth: "x-api-key",
    protocols: ["messages"],
    paths: BELOW_ROOT,
    countPaths: only("messages"),
    modelsPath: "/v1/models",
    // https://platform.claude.com/docs/en/api/models-list
    modelsPages: { size: "limit=1000", after: "after_id", next: "last_id", more: "has_more" },
    betaQuery: true,
    needsKey: true,
    // https://docs.anthropic.com/en/api/errors: an empty account is an invalid_request_error.
    accountFaults: [{ status: 400, contains: "credit balance is too low" }],
  },
  gemini: {
    ...BEARER,
    listedTools: GEMINI_TOOLS,
    ...NO_MEDIA,
    auth: "x-goog-api-key",
    protocols: ["generate-content", "embeddings"],
    paths: {
      "generate-content": BELOW_ROOT["generate-content"],
      embeddings: "/v1beta/models/{model}:batchEmbedContents",
    },
    embeddingsForms: [{ names: /./, form: "batchEmbedContents" }],
    countPaths: only("generate-content"),
    modelsPath: "/v1beta/models",
    // https://ai.google.dev/api/rest/v1beta/models/list
    modelsPages: { size: "pageSize=1000", after: "pageToken", next: "nextPageToken" },
    betaQuery: false,
    needsKey: true,
    // A bad key is a 400 here, with this reason in its details.
    accountFaults: [
      { status: 400, contains: "api_key_invalid" },
      { status: 400, contains: "api key expired" },
    ],
  },
  rerank: {
    ...BEARER,
    ...NO_MEDIA,
    protocols: ["rerank"],
    paths: { rerank: "/rerank", embeddings: "/embeddings" },
    modelsPath: null,
    betaQuery: false,
    needsKey: false,
    accountFaults: [],
  },
  // Any service that speaks this same interface, so that gateways chain.
  gateway: {
    ...BEARER,
    taskApi: gateway,
    families: FAMILY_NAMES,
    assetApi: gatewayAssets,
    protocols: PROTOCOL_NAMES,
    paths: BELOW_ROOT,
    countPaths: COUNTED_BELOW_ROOT,
    compacts: true,
    modelsPath: "/v1/models",
    betaQuery: true,
    needsKey: true,
    accountFaults: [{ status: 403, contains: "insufficient_user_quota" }],
  },
  sandbox: {
    ...BEARER,
    taskApi: sandbox,
    families: FAMILY_NAMES,
    assetApi: gatewayAssets,
    protocols: PROTOCOL_NAMES,
    paths: BELOW_ROOT,
    modelsPath: "/v1/models",
    betaQuery: true,
    needsKey: false,
    accountFaults: [],
  },
  ark: {
    ...MEDIA,
    keyIn: (secret: string) => readArkCredential(secret).apiKey,
    keyCheck: arkKeyProblem,
    heldIn: heldInArkCredential,
    taskApi: ark,
    families: ["videoa"],
    assetApi: arkAssets,
  },
  azure: AZURE,
  vertex: VERTEX,
  bedrock: BEDROCK,
  "bedrock-mantle": BEDROCK_MANTLE,
  "seedance-relay": { ...MEDIA, taskApi: seedanceRelay, families: ["videoa"] },
  apimart: { ...MEDIA, taskApi: apimart, families: ["imagegen", "videob", "videoc"] },
  minimax: { ...MEDIA, taskApi: minimax, families: ["videoc"] },
  dashscope: { ...MEDIA, taskApi: dashscope, families: ["videob"] },
} as const satisfies Record<string, UpstreamKind>;

const PRESET_KINDS: ReadonlyMap<string, UpstreamKind> = new Map(
  PRESET_NAMES.map((name) => [name, { ...KINDS[PRESET_KIND], ...ofPreset(name) }]),
);

function ofPreset(name: string): Partial<Pick<UpstreamKind, "protocols" | "needsKey">> {
  const preset = presetOf(name);
  return preset === undefined ? {} : { protocols: preset.protocols, needsKey: preset.needsKey };
}

/** The fields of all kinds' credentials with what they are, for the catalog file's schema. */
export function credentialFields(): ReadonlyMap<string, string> {
  const kinds: readonly UpstreamKind[] = Object.values(KINDS);
  const forms = kinds.flatMap(({ credentialForms = [] }) => credentialForms);
  const fields = forms.flatMap((form) => Object.entries(form.fields));
  const words = [...new Set(forms.flatMap(({ from }) => from ?? []))];
  const from: [string, string] = ["from", `Where it is taken from: ${words.join(", ")}`];
  // If several forms have a field, the first one's description counts.
  return new Map([...fields.map(([name, { about }]): [string, string] => [name, about]).reverse(), from]);
}

/** Every kind's name, for the catalog file's schema. */
export const KIND_NAMES = Object.keys(KINDS) as [KindName, ...KindName[]];
