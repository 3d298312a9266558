import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Toasts } from "../parts/toast.tsx";
import { AppearanceSwitches } from "./appearance.tsx";
import { Mark } from "./sidebar.tsx";

/** What stands around the pages before signing in: one narrow column. */
export function Gate(): ReactNode {
  return (
    <div className="flex min-h-dvh flex-col items-center px-4 py-8 sm:py-16">
      <main className="flex w-full max-w-sm flex-1 flex-col gap-8">
        <p className="flex items-center gap-2 text-lg font-semibold">
          <Mark />
          Faregate
        </p>
        <Outlet />
      </main>
      <footer className="w-full max-w-sm pt-8">
        <AppearanceSwitches />
      </footer>
      <Toasts />
    </div>
  );
}
