/** What a typed or pasted text names: an error body is pasted whole, too. */
export interface TypedIds {
  /** Ids of the gateway's requests. */
  readonly request: string | undefined;
  readonly task: string | undefined;
  /** A word that may be a vendor's id of a request. */
  readonly other: string | undefined;
}

export function typedIds(text: string): TypedIds {
  const request = /\breq_[0-9a-z]{8,64}\b/.exec(text)?.[0];
  const task = /\btask-[0-9a-f]{32}\b/.exec(text)?.[0];
  const word = text.trim();
  const isId = request === undefined && task === undefined && /^(?=.*\d)[\w.:-]{6,200}$/.test(word);
  return { request, task, other: isId ? word : undefined };
}
