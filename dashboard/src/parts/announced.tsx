import { type ReactNode, useEffect, useSyncExternalStore } from "react";

/** The page's own title; undefined until there is one. */
let current: string | undefined;
let announced = "";
const listeners = new Set<() => void>();

/**
 * Names the page: in the window's title, and aloud where it took the place of another. Browsers read out the title of a
 * document that they load, but nothing where a link only changes what is shown.
 */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Faregate`;
    if (title === current) return;
    if (current !== undefined) announced = title;
    current = title;
    for (const listener of listeners) listener();
  }, [title]);
}

/**
 * Announces new pages to screen readers; once, around all pages, since they only watch elements that were there before.
 */
export function Announced(): ReactNode {
  const title = useSyncExternalStore(listen, () => announced);
  return (
    <p aria-live="polite" data-announced className="sr-only">
      {title}
    </p>
  );
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
