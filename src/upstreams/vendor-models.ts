import { appendAll } from "../base/append-all.ts";
import { isRecord } from "../base/json/record.ts";
import type { Credential, Upstream } from "../catalog/catalog.ts";
import type { AccessDeps } from "./access/known-access.ts";
import { kindOf, type UpstreamKind } from "./kinds.ts";
import { requestOnce } from "./one-request.ts";
import { failureText, isRefusal, refusalOf, troubleIn } from "./probe.ts";
import { type ModelList, type ModelsPages, placed } from "./transport/endpoint-url.ts";

/** A model in a vendor's own list. */
export interface VendorModel {
  /** The vendor's name for it. */
  readonly id: string;
  /** undefined = the list does not state it. */
  readonly contextTokens: number | undefined;
  readonly maxOutputTokens: number | undefined;
  /** Some of image, audio, video and document; undefined = the list does not state it. */
  readonly inputMedia: readonly string[] | undefined;
}

/** A list that can't be read; the message says what is wrong and what to do. */
export class ModelListError extends Error {
  override readonly name = "ModelListError";
}

/** Ten times the largest known list, a reseller's with all details of 600 models. */
const MAX_BYTES = 8 * 1024 * 1024;

/** A page has a thousand models if the vendor accepts a page size. */
const MAX_PAGES = 20;

/** The vendor's list of models, in its order. It is requested as `doctor` tests a credential. Throws ModelListError. */
export async function listVendorModels(
  upstream: Upstream,
  credential: Credential,
  deps: AccessDeps,
): Promise<VendorModel[]> {
  const kind = kindOf(upstream.kind, upstream.preset);
  const lists = kind && listsOf(kind);
  if (kind === undefined || lists === undefined || lists.length === 0)
    throw new ModelListError(`kind ${upstream.kind} has no list of models`);
  const models: VendorModel[] = [];
  for (const list of lists) appendAll(models, await readList(list, { upstream, credential, kind, ...deps }));
  return models;
}

/** Those of the kind's own form, else the one that its key is tried with. */
function listsOf({ modelLists, modelsPath, modelsPages }: UpstreamKind): readonly AnyList[] {
  if (modelLists !== undefined) return modelLists;
  return modelsPath === null ? [] : [{ path: modelsPath, pages: modelsPages }];
}

/** A list whose form is that of most vendors, where it states none. */
type AnyList = Pick<ModelList, "path"> & { readonly pages?: ModelsPages | undefined } & Partial<
    Omit<ModelList, "pages">
  >;

async function readList(list: AnyList, parts: PageParts): Promise<VendorModel[]> {
  const { pages, serverOf, entries } = list;
  const { upstream } = parts;
  const path = placed(list.path, upstream.options?.place);
  const baseUrl = serverOf?.(upstream.baseUrl) ?? upstream.baseUrl;
  const models: VendorModel[] = [];
  let query = pages?.size === "" ? undefined : pages?.size;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const value = await readPage(query === undefined ? path : `${path}?${query}`, baseUrl, parts);
    const found = entries === undefined ? entriesOf(value) : entriesAt(value, entries);
    appendAll(
      models,
      found.flatMap((entry) => readModel(entry, list)),
    );
    const next = pages && nextPage(pages, value);
    if (next === undefined) break;
    query = next;
  }
  return models;
}

interface PageParts extends AccessDeps {
  readonly upstream: Upstream;
  readonly credential: Credential;
  readonly kind: UpstreamKind;
}

async function readPage(path: string, baseUrl: string, parts: PageParts): Promise<unknown> {
  const { name } = parts.upstream;
  const request = { method: "GET", path, baseUrl, maxBytes: MAX_BYTES } as const;
  const response = await requestOnce(request, parts).catch((error: unknown) => {
    throw new ModelListError(failureText(error));
  });
  const { status, body, isWhole } = response;
  const text = body.toString("utf8");
  const means = troubleIn(parts.kind, { status, text });
  if (means !== undefined) throw new ModelListError(`${name} lists no models (status ${status}): ${means}`);
  if (isRefusal(parts.kind, { status, text }))
    throw new ModelListError(`${name} ${refusalOf(parts.credential, status)}`);
  if (status === 404 || status === 405)
    throw new ModelListError(
      `${name} has no list of models at ${baseUrl}${path} (status ${status}); check base_url`,
    );
  if (status !== 200) throw new ModelListError(`${name} ${otherStatus(status)}`);
  if (!isWhole)
    throw new ModelListError(
      `${name} has a list of more than ${MAX_BYTES / 1024 / 1024} MB, which isn't read`,
    );
  try {
    return JSON.parse(text);
  } catch {
    throw new ModelListError(`${name} returned something other than JSON; check base_url, now ${baseUrl}`);
  }
}

function otherStatus(status: number): string {
  if (status >= 300 && status < 400) return `redirects (status ${status}); base_url must be the final URL`;
  if (status === 429) return `limits the rate of requests (status ${status}); try again later`;
  if (status >= 500) return `returned status ${status}; try again later`;
  return `doesn't take the request (status ${status}); check kind and base_url`;
}

/** OpenAI and Anthropic put the models into `data`, Gemini into `models`; Together returns a bare array. */
function entriesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  const { data, models } = isRecord(value) ? value : {};
  for (const list of [data, models]) if (Array.isArray(list)) return list;
  throw new ModelListError("the response has no list of models; check base_url");
}

function entriesAt(value: unknown, field: string): readonly unknown[] {
  const list = isRecord(value) ? value[field] : undefined;
  // An empty list is left out by some.
  if (list === undefined && isRecord(value)) return [];
  if (Array.isArray(list)) return list;
  throw new ModelListError("the response has no list of models; check base_url");
}

function nextPage({ size, after, next, more }: ModelsPages, page: unknown): string | undefined {
  if (!isRecord(page) || (more !== undefined && page[more] !== true)) return undefined;
  const token = page[next];
  if (typeof token !== "string" || token === "") return undefined;
  return `${size === "" ? "" : `${size}&`}${after}=${encodeURIComponent(token)}`;
}

/** The names of the limits at Gemini, Anthropic, OpenRouter, Groq and vLLM, and at vendors that copied one of them. */
const CONTEXT_FIELDS = [
  ...["inputTokenLimit", "max_input_tokens", "context_length", "context_window"],
  ...["max_model_len", "max_context_length"],
];
const OUTPUT_FIELDS = ["outputTokenLimit", "max_output_tokens", "max_completion_tokens", "max_tokens"];

function readModel(entry: unknown, list: AnyList): VendorModel[] {
  if (!isRecord(entry) || !isMeant(entry, list)) return [];
  const { id, name, architecture, top_provider: provider } = entry;
  const named = list.name === undefined ? (typeof id === "string" ? id : name) : entry[list.name];
  if (typeof named !== "string") return [];
  const { before = "models/", media } = list;
  const stated = media === undefined ? undefined : mediaOf(entry[media]);
  const places = [entry, ...(isRecord(provider) ? [provider] : [])];
  return [
    {
      id: named.startsWith(before) ? named.slice(before.length) : named,
      contextTokens: firstCount(places, CONTEXT_FIELDS),
      maxOutputTokens: firstCount(places, OUTPUT_FIELDS),
      inputMedia: stated ?? (isRecord(architecture) ? mediaOf(architecture["input_modalities"]) : undefined),
    },
  ];
}

function isMeant(entry: Readonly<Record<string, unknown>>, { only }: AnyList): boolean {
  if (only === undefined) return true;
  const value = entry[only.field];
  return Array.isArray(value) ? value.includes(only.holds) : value === only.holds;
}

function firstCount(
  places: readonly Readonly<Record<string, unknown>>[],
  fields: readonly string[],
): number | undefined {
  const values = places.flatMap((place) => fields.map((field) => place[field]));
  return values.find((value): value is number => Number.isSafeInteger(value) && Number(value) > 0);
}

const MEDIA: Readonly<Record<string, string>> = {
  image: "image",
  audio: "audio",
  video: "video",
  file: "document",
};

function mediaOf(modalities: unknown): string[] | undefined {
  if (!Array.isArray(modalities)) return undefined;
  return modalities.flatMap((each: unknown) =>
    typeof each === "string" ? (MEDIA[each.toLowerCase()] ?? []) : [],
  );
}
