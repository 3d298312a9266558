import { createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

export const FILES_PREFIX = "/_sandbox/files/";

/** Links to files that say until when they are good, and cannot be made up. */
export interface Links {
  /** `origin` is the address the caller reached the sandbox under. */
  link(origin: string, name: string, expiresSeconds: number): string;
  check(name: string, query: URLSearchParams, nowMs: number): "good" | "expired" | "forged";
}

export function createLinks(secret: string): Links {
  const sign = (name: string, expires: string): string =>
    createHmac("sha256", secret).update(`${name}\0${expires}`).digest("hex").slice(0, 32);
  return {
    link(origin, name, expiresSeconds) {
      const signature = sign(name, String(expiresSeconds));
      return `${origin}${FILES_PREFIX}${name}?expires=${expiresSeconds}&signature=${signature}`;
    },
    check(name, query, nowMs) {
      const expires = query.get("expires") ?? "";
      const given = Buffer.from(query.get("signature") ?? "");
      const right = Buffer.from(sign(name, expires));
      if (given.length !== right.length || !timingSafeEqual(given, right)) return "forged";
      return nowMs < Number(expires) * 1_000 ? "good" : "expired";
    },
  };
}

/** The address under which the caller reached the sandbox, so that its links lead back the same way. */
export function originOf({ headers }: IncomingMessage): string {
  return `http://${headers.host ?? "127.0.0.1"}`;
}
