import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Toasts } from "../parts/toast.tsx";
import { AppearanceSwitches } from "./appearance.tsx";
import { Mark } from "./sidebar.tsx";

/** The frame of the pages before signing in. */
export function Gate(): ReactNode {
  return (
    <Column>
      <Outlet />
    </Column>
  );
}

/** One narrow column, for what has no menu beside it. */
export function Column({ children }: { readonly children: ReactNode }): ReactNode {
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 py-8 sm:py-16">
      <main className="flex w-full max-w-sm flex-1 flex-col gap-8">
        <p className="flex items-center gap-2 text-lg font-semibold">
          <Mark />
          Faregate
        </p>
        {children}
      </main>
      <footer className="w-full max-w-sm pt-8">
        <AppearanceSwitches />
      </footer>
      <Toasts />
    </div>
  );
}
