import { Secret, TOTP } from "otpauth";
import type { KeyHasher } from "../../accounts/key-hasher.ts";
import type { Clock } from "../../base/clock.ts";
import { randomKey } from "../../base/random.ts";
import type { Seals } from "../../base/seal.ts";
import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { UserRecord } from "../users-store.ts";
import { readTotp, type TotpRecord, useRecovery, useStep } from "./totps-store.ts";

/** The defaults of all authenticator apps: RFC 6238 with SHA-1, six digits, 30 seconds. */
const PERIOD_SECONDS = 30;

/** A phone's clock may be off by half a minute. */
const STEPS_AROUND = 1;

/** Enough for years in which a phone is lost a few times. */
const RECOVERY_CODES = 10;

/** 160 bits in base32, the hash's length, as RFC 4226 recommends. */
export function newTotpSecret(): string {
  return Secret.fromHex(randomKey(20).toString("hex")).base32;
}

/** Content of the QR code that the app reads. */
export function totpUri(secret: string, email: string): string {
  return totpOf(secret, email).toString();
}

/** Returns the time step of a code, the present one or one beside it; undefined = none. */
export function stepOf(secret: string, code: string, clock: Clock): number | undefined {
  const timestamp = clock.nowMs();
  const delta = totpOf(secret, "").validate({ token: code, timestamp, window: STEPS_AROUND });
  return delta === null ? undefined : Math.floor(timestamp / 1_000 / PERIOD_SECONDS) + delta;
}

/** 80 bits each, in groups that are easy to read out. */
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
 * Requires a code from a user with two-factor authentication, after the password. Throws totp_required if there is
 * none, and sign_in_failed if it is wrong or used. A valid code is used up.
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
