interface KeptFlow {
  readonly flow: string;
  readonly next: string | undefined;
}

const KEY = "faregate-sign-in";

/** Keeps a sign-in that goes on elsewhere, in this tab: a response to one that somebody else began finds nothing. */
export function keepFlow(kept: KeptFlow): void {
  sessionStorage.setItem(KEY, JSON.stringify(kept));
}

/** The sign-in that was begun in this tab, once. */
export function takeFlow(): KeptFlow | undefined {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  return text === null ? undefined : (JSON.parse(text) as KeptFlow);
}
