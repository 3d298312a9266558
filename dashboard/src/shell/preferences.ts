import { useSyncExternalStore } from "react";

/** A user's choice in this browser. Empty text: none, so the system's choice holds. */
type Preference = "theme" | "language" | "account" | "snippet";

const listeners = new Set<() => void>();

/** A choice kept in this browser, shared by all that use it. */
export function usePreference(name: Preference): [value: string, choose: (value: string) => void] {
  const value = useSyncExternalStore(listen, () => readPreference(name));
  return [value, (chosen) => writePreference(name, chosen)];
}

export function readPreference(name: Preference): string {
  return localStorage.getItem(`faregate.${name}`) ?? "";
}

export function writePreference(name: Preference, value: string): void {
  localStorage.setItem(`faregate.${name}`, value);
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  // Another tab chose.
  window.addEventListener("storage", listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener("storage", listener);
  };
}
