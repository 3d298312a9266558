import { type Opaque, unwrapOpaque, wrapOpaque } from "../conversation/state/opaque.ts";

/** The issuer is no upstream, so that none is preferred for the state and none is sent it unwrapped. */
const OWN = { protocol: "responses", upstream: "faregate", model: "compaction" } as const;

/** Tells the model what it reads. */
const PREFACE = "The conversation so far was replaced by this summary of it:\n\n";

/** A summary as an item of the responses protocol, in the envelope of all state that passes through callers. */
export function compactionItem(id: string, summary: string): Readonly<Record<string, unknown>> {
  return { type: "compaction", id, encrypted_content: wrapOpaque({ origin: OWN, value: summary }) };
}

/** A summary as a block of the messages protocol, where the words are the caller's to read; its signature says whose it is. */
export function compactionBlock(summary: string): Readonly<Record<string, unknown>> {
  const signature = wrapOpaque({ origin: { ...OWN, protocol: "messages" }, value: "" });
  return { type: "compaction", content: summary, encrypted_content: null, signature };
}

/** True if a block's signature is of `compactionBlock`, which no vendor would take. */
export function isOwnSignature(signature: string): boolean {
  return isOwn(unwrapOpaque(signature));
}

/** The words of such an item for the model that goes on; undefined where a vendor made it, who alone can read it. */
export function compactedWords(encryptedContent: string): string | undefined {
  const found = unwrapOpaque(encryptedContent);
  return isOwn(found) ? summaryWords(found.value) : undefined;
}

function isOwn(found: Opaque | undefined): found is Opaque {
  return found?.origin.upstream === OWN.upstream && found.origin.model === OWN.model;
}

/** A summary as a model reads it that was not there. */
export function summaryWords(summary: string): string {
  return PREFACE + summary;
}
