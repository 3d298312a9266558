import type { Catalog, Endpoint, Model } from "../../catalog/catalog.ts";
import { inputMediaOf } from "../../catalog/model-media.ts";
import type { Vocabulary } from "../../catalog/vocabulary.ts";
import type { FamilyName } from "../../families/family.ts";
import { familyOf } from "../../families/table.ts";
import { nativeActions } from "../../protocols/endpoint-table.ts";
import { madeAt, PROTOCOLS } from "../../protocols/table.ts";

/** The view of a caller's group on the models. */
export interface ModelView {
  readonly catalog: Catalog;
  readonly group: string;
  readonly vocabulary: Vocabulary;
}

/**
 * The specification's record, and beside it what clients of such lists read: the context and the longest response in tokens,
 * left out where the catalog states none, and modalities, in the words that resellers of many models use. An alias names its
 * model.
 */
export function listRecord(view: ModelView, model: Model): object {
  const endpoints = endpointsOf(view, model);
  const { input, output } = modalitiesOf(view, model, endpoints);
  return {
    id: model.id,
    alias_of: model.aliasOf,
    object: "model",
    created: model.created,
    owned_by: model.ownedBy,
    supported_endpoint_types: endpoints.map((each) => view.vocabulary.wordOf(each)),
    context_length: model.contextTokens ?? undefined,
    max_completion_tokens: model.maxOutputTokens ?? undefined,
    architecture: { input_modalities: input, output_modalities: output },
  };
}

/** ModelInfo of the messages protocol; null is its own word for an unknown limit. */
export function messagesRecord(view: ModelView, model: Model): object {
  const endpoints = endpointsOf(view, model);
  const { input, output } = modalitiesOf(view, model, endpoints);
  return {
    id: model.id,
    alias_of: model.aliasOf,
    type: "model",
    display_name: model.id,
    created_at: new Date(model.created * 1000).toISOString().replace(".000Z", "Z"),
    max_input_tokens: model.contextTokens,
    max_tokens: model.maxOutputTokens,
    input_modalities: input,
    output_modalities: output,
    supported_endpoint_types: endpoints.map((each) => view.vocabulary.wordOf(each)),
  };
}

/** The native record: methods are always a list, over which the vendor's own examples iterate. */
export function nativeRecord(view: ModelView, model: Model): object {
  const endpoints = endpointsOf(view, model);
  const { input, output } = modalitiesOf(view, model, endpoints);
  return {
    name: `models/${model.id}`,
    baseModelId: model.aliasOf ?? model.id,
    // The catalog knows no version but the day on which the vendor made the model.
    version: new Date(model.created * 1000).toISOString().slice(0, 10),
    displayName: model.id,
    description: `${model.id} of ${model.ownedBy}`,
    inputTokenLimit: model.contextTokens ?? undefined,
    outputTokenLimit: model.maxOutputTokens ?? undefined,
    supportedGenerationMethods: endpoints.flatMap((each) => METHODS[each] ?? []),
    inputModalities: input,
    outputModalities: output,
  };
}

/** Actions of the native protocol by the endpoint that a model is served on. */
const METHODS: Readonly<Partial<Record<Endpoint, readonly string[]>>> = Object.fromEntries(
  Object.values(PROTOCOLS).map(({ name, endpoint }) => [name, [...nativeActions(endpoint).keys()]]),
);

function endpointsOf({ catalog, group }: ModelView, model: Model): readonly Endpoint[] {
  return catalog.endpointsOf(model.id, group);
}

interface Modalities {
  readonly input: readonly string[];
  readonly output: readonly string[];
}

function modalitiesOf(
  { catalog, group }: ModelView,
  model: Model,
  endpoints: readonly Endpoint[],
): Modalities {
  const family = model.family === null ? undefined : familyOf(model.family);
  if (family !== undefined) return { input: FAMILY_INPUTS[family.name], output: [family.medium] };
  const made = madeAt(endpoints);
  if (made !== "text") return { input: ["text"], output: [made] };
  const media = inputMediaOf(catalog, model, group);
  // The word for documents in these lists is "file".
  return { input: ["text", ...media.map((each) => (each === "document" ? "file" : each))], output: ["text"] };
}

const FAMILY_INPUTS: Readonly<Record<FamilyName, readonly string[]>> = {
  imagegen: ["text", "image"],
  videoa: ["text", "image", "video", "audio"],
  videob: ["text", "image", "video", "audio", "file"],
  videoc: ["text", "image", "audio"],
};
