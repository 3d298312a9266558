import { Outlet, useLocation, useParams } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { useAccount } from "../api/session.ts";
import { IconButton } from "../parts/button.tsx";
import { Toasts } from "../parts/toast.tsx";
import { useWords } from "../words/use-words.ts";
import { Keyboard } from "./keyboard.tsx";
import { PaletteGate } from "./palette/palette-gate.tsx";
import { writePreference } from "./preferences.ts";
import { Mark, Sidebar } from "./sidebar.tsx";
import { shellWords } from "./words.ts";

/** The frame of every page of a signed-in user. */
export function Shell(): ReactNode {
  const t = useWords(shellWords);
  const { account } = useParams({ strict: false }) as { account?: string };
  useEffect(() => {
    if (account !== undefined) writePreference("account", account);
  }, [account]);
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[14rem_minmax(0,1fr)] print:block">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-accent px-4 py-2 text-accent-ink focus:not-sr-only focus:fixed focus:top-2 focus:left-2"
      >
        {t.skip}
      </a>
      <div className="sticky top-0 hidden h-dvh overflow-y-auto border-r border-line lg:block print:hidden">
        <Sidebar />
      </div>
      <div className="flex items-center gap-2 border-b border-line px-4 py-2 lg:hidden print:hidden">
        <Drawer />
        <Mark />
        <span className="font-semibold">Faregate</span>
      </div>
      <main id="content" tabIndex={-1} className="min-w-0 px-4 py-6 outline-none sm:px-8 lg:px-10">
        <div className="mx-auto max-w-6xl">
          {account !== undefined && <SuspendedBanner />}
          <Outlet />
        </div>
      </main>
      <Keyboard />
      <PaletteGate />
      <Toasts />
    </div>
  );
}

/** Above every page of an account whose keys are refused: else all looks as if it were at work. */
function SuspendedBanner(): ReactNode {
  const t = useWords(shellWords);
  const { name, suspended } = useAccount();
  if (!suspended) return null;
  return (
    <div role="alert" className="mb-6 border-l-2 border-bad py-1 pl-4">
      <p className="font-medium text-bad">{t.suspended(name)}</p>
      <p>{t.suspendedWhy}</p>
    </div>
  );
}

/** The menu on narrow screens; a link of it closes it. */
function Drawer(): ReactNode {
  const t = useWords(shellWords);
  const ref = useRef<HTMLDialogElement>(null);
  const [open, setOpen] = useState(false);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whoever went somewhere is done with the menu
  useEffect(() => setOpen(false), [pathname]);
  useEffect(() => {
    if (open) ref.current?.showModal();
    else ref.current?.close();
  }, [open]);
  return (
    <>
      <IconButton icon="menu" label={t.openMenu} aria-expanded={open} onClick={() => setOpen(true)} />
      <dialog
        ref={ref}
        aria-label={t.navigation}
        onClose={() => setOpen(false)}
        // A click beside the drawer hits the dialog itself; a click within it hits its children.
        onClick={(event) => event.target === ref.current && setOpen(false)}
        onKeyDown={() => undefined}
        className="m-0 h-dvh max-h-none w-64 max-w-[85vw] overflow-y-auto border-r border-line bg-paper text-ink backdrop:bg-veil"
      >
        {open && <Sidebar />}
      </dialog>
    </>
  );
}
