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

/** Where screen readers hear of a new page; once, around all pages, as they listen only to what was there before. */
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
