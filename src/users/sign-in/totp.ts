import { Secret, TOTP } from "otpauth";
import type { KeyHasher } from "../../accounts/key-hasher.ts";
import type { Clock } from "../../base/clock.ts";
import { randomKey } from "../../base/random.ts";
import type { Seals } from "../../base/seal.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { UserRecord } from "../users-store.ts";
import { readTotp, type TotpRecord, useRecovery, useStep } from "./totps-store.ts";

/** What every app understands without being told: RFC 6238 with SHA-1, six digits, half a minute. */
const PERIOD_SECONDS = 30;

/** A phone's clock may be half a minute off. */
const STEPS_AROUND = 1;

/** Enough for the years in which one may lose a phone a few times. */
const RECOVERY_CODES = 10;

/** 160 bits in base32, the length of the hash, as RFC 4226 asks for. */
export function newTotpSecret(): string {
  return Secret.fromHex(randomKey(20).toString("hex")).base32;
}

/** What the app reads off the image. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** The time step that a code belongs to, now or just beside; undefined = to none. */
export function stepOf(secret: string, code: string, clock: Clock): number | undefined {
  const timestamp = clock.nowMs();
  const delta = totpOf(secret, "").validate({ token: code, timestamp, window: STEPS_AROUND });
  return delta === null ? undefined : Math.floor(timestamp / 1_000 / PERIOD_SECONDS) + delta;
}

/** 80 bits each, in groups that one can read out. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () =>
    Secret.fromHex(randomKey(10).toString("hex"))
      .base32.toLowerCase()
      .replace(/(.{4})(?=.)/g, "$1-"),
  );
}

export function recoveryHash(hasher: KeyHasher, code: string): Buffer {
  return hasher.hash(`recovery ${code.toLowerCase().replace(/[^a-z2-7]/g, "")}`);
}

interface SecondFactorDeps {
  readonly hasher: KeyHasher;
  readonly seals: Seals;
  readonly clock: Clock;
}

/**
 * Asks who uses codes for one, after the password: totp_required where none came, sign_in_failed where it is wrong
 * or was used before. Uses the code up.
 */
export async function proveSecondFactor(
  db: Queryable,
  deps: SecondFactorDeps,
  user: Pick<UserRecord, "id">,
  code: string | undefined,
): Promise<void> {
  const totp = await readTotp(db, deps.seals, user.id);
  if (totp === undefined || !totp.confirmed) return;
  if (code === undefined || code === "")
    throw new GatewayError("totp_required", "Send the authenticator code, or a recovery code, as totp.");
  if (!(await useCode(db, deps, totp, code)))
    throw new GatewayError(
      "sign_in_failed",
      "The code is incorrect or was already used. Wait for the next one.",
      {
        param: "totp",
      },
    );
}

async function useCode(
  db: Queryable,
  { hasher, clock }: SecondFactorDeps,
  { id, secret }: TotpRecord,
  code: string,
): Promise<boolean> {
  const digits = code.replaceAll(" ", "");
  if (!/^\d{6}$/.test(digits)) return useRecovery(db, id, recoveryHash(hasher, code));
  const step = stepOf(secret, digits, clock);
  return step !== undefined && useStep(db, id, step);
}

function totpOf(secret: string, email: string): TOTP {
  return new TOTP({ issuer: "Faregate", label: email, secret, period: PERIOD_SECONDS });
}
