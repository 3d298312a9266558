import type { AddedModels, OfferedModels } from "../../../../src/console/upstreams/contract.ts";

export type Offered = OfferedModels["data"][number];

/** What may be corrected of a ticked model before it is added, as it is typed. */
const OFFERED_FIELDS = ["context", "output", "inputPrice", "outputPrice"] as const;
export type OfferedDraft = Readonly<Record<(typeof OFFERED_FIELDS)[number], string>>;

/** A ticked model begins with what the vendor and the public list state. */
export function draftOf({ context_tokens, max_output_tokens, price }: Offered): OfferedDraft {
  return {
    context: context_tokens === null ? "" : String(context_tokens),
    output: max_output_tokens === null ? "" : String(max_output_tokens),
    inputPrice: price?.input ?? "",
    outputPrice: price?.output ?? "",
  };
}

/** Amounts stay text, as a number would lose digits; prices that the page doesn't show stay as they are listed. */
export function addedOf(model: Offered, draft: OfferedDraft): AddedModels["models"][number] {
  const { input: _, output: __, ...others } = model.price ?? {};
  const [input, output] = [draft.inputPrice.trim(), draft.outputPrice.trim()];
  const price = { ...(input !== "" && { input }), ...(output !== "" && { output }), ...others };
  return {
    id: model.id,
    context_tokens: countOf(draft.context),
    max_output_tokens: countOf(draft.output),
    input_media: model.input_media,
    price: Object.keys(price).length === 0 ? null : price,
  };
}

function countOf(text: string): number | null {
  return text.trim() === "" ? null : Number(text);
}
