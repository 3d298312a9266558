import { type ReactNode, useSyncExternalStore } from "react";

/** Long enough to read a sentence twice. */
const SHOWN_MS = 6_000;

let shown: readonly { readonly id: number; readonly text: string }[] = [];
let count = 0;
const listeners = new Set<() => void>();

/** Says in a corner that something was done: `toast(t.revoked)`. Errors stay beside their form instead. */
export function toast(text: string): void {
  count += 1;
  const id = count;
  set([...shown, { id, text }]);
  setTimeout(() => set(shown.filter((each) => each.id !== id)), SHOWN_MS);
}

/** The place of toasts; once, in the shell. */
export function Toasts(): ReactNode {
  const toasts = useSyncExternalStore(listen, () => shown);
  return (
    <div role="status" aria-live="polite" className="fixed right-4 bottom-4 z-40 flex flex-col gap-2">
      {toasts.map(({ id, text }) => (
        <p key={id} className="max-w-sm rounded-md bg-ink px-4 py-2 text-paper shadow-lg">
          {text}
        </p>
      ))}
    </div>
  );
}

function set(toasts: typeof shown): void {
  shown = toasts;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
