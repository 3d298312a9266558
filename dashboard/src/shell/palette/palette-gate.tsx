import { lazy, type ReactNode, Suspense, useEffect, useState } from "react";
import { showPalette, usePaletteOpen } from "./palette-state.ts";

/** Not part of the first visit: nobody needs it before the first key is pressed. */
const Palette = lazy(() =>
  import("./palette.tsx").then(({ Palette: component }) => ({ default: component })),
);

/** Ctrl K, or Command K, anywhere: the command palette. */
export function PaletteGate(): ReactNode {
  const open = usePaletteOpen();
  const [loaded, setLoaded] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isOurs = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
      if (!isOurs || event.key.toLowerCase() !== "k") return;
      // Above a dialog it would take the place of what is being filled in.
      if (!open && document.querySelector("dialog[open]") !== null) return;
      event.preventDefault();
      showPalette(!open);
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [open]);
  useEffect(() => {
    if (open) setLoaded(true);
  }, [open]);
  if (!open && !loaded) return null;
  return (
    <Suspense fallback={null}>
      <Palette open={open} onClose={() => showPalette(false)} />
    </Suspense>
  );
}
