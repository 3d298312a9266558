import { GatewayError } from "../../errors.ts";
import { forgiveAttempts } from "../../users/sign-in/attempts-store.ts";
import { countProof, stayProven } from "../../users/sign-in/sign-in.ts";
import { newRecoveryCodes, newTotpSecret, recoveryHash, stepOf, totpUri } from "../../users/sign-in/totp.ts";
import { confirmTotp, deleteTotp, insertTotp, readTotp } from "../../users/sign-in/totps-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { json, type Operation } from "../operation.ts";
import { done } from "../session/contract.ts";
import { provePassword } from "../session/prove-password.ts";
import { settledOf } from "../session/session-response.ts";
import { needsTwoFactor } from "../session/sign-in-rules.ts";
import { passwordProof, recoveryCodes, totpCode, totpEnrolment } from "./contract.ts";

/**
 * Codes of an authenticator app: enrolled with the password, in force from the first right code on, taken away
 * with the password. Whoever finds an open session can do neither.
 */
export function totpOperations(deps: ConsoleDeps): readonly Operation[] {
  return [enrol(deps), confirm(deps), remove(deps)];
}

const tag = "me";

function enrol(deps: ConsoleDeps): Operation {
  const { database, seals } = deps;
  return json({
    method: "POST",
    path: "/me/totp",
    policy: "user",
    tag,
    makes: true,
    summary: "Begin to sign in with codes of an authenticator app",
    body: passwordProof,
    response: totpEnrolment,
    async run({ body, identity, address, audit }) {
      const { user } = settledOf(identity);
      const proven = await provePassword(deps, { user, password: body.password, address, param: "password" });
      const secret = newTotpSecret();
      await database.transaction(async (tx) => {
        await stayProven(tx, proven);
        if (!(await insertTotp(tx, seals, user.id, secret)))
          throw new GatewayError(
            "conflict",
            "Two-factor authentication is already enabled. Disable it first to set up another app.",
          );
        await audit(tx, { action: "totp.enrol", subject: user.email });
      });
      return { secret, uri: totpUri(secret, user.email) };
    },
  });
}

function confirm({ database, seals, hasher, clock }: ConsoleDeps): Operation {
  return json({
    method: "POST",
    path: "/me/totp/confirm",
    policy: "user",
    tag,
    summary: "Confirm the app with its first code; returns the recovery codes",
    body: totpCode,
    response: recoveryCodes,
    async run({ body, identity, address, audit }) {
      const { user } = settledOf(identity);
      const counter = await countProof({ database, hasher }, user.id, address);
      const totp = await readTotp(database, seals, user.id);
      if (totp === undefined || totp.confirmed)
        throw new GatewayError("conflict", "Begin with POST /api/me/totp.");
      const step = stepOf(totp.secret, body.code.replaceAll(" ", ""), clock);
      if (step === undefined)
        throw new GatewayError(
          "invalid_request",
          "That code isn't valid. Check that your phone's clock is correct.",
          {
            param: "code",
          },
        );
      const codes = newRecoveryCodes();
      await database.transaction(async (tx) => {
        const hashes = codes.map((code) => recoveryHash(hasher, code));
        if (!(await confirmTotp(tx, totp.id, step, hashes)))
          throw new GatewayError("conflict", "Begin with POST /api/me/totp.");
        await forgiveAttempts(tx, counter);
        await audit(tx, { action: "totp.confirm", subject: user.email });
      });
      return { recovery_codes: codes };
    },
  });
}

function remove(deps: ConsoleDeps): Operation {
  return json({
    method: "POST",
    path: "/me/totp/remove",
    policy: "user",
    tag,
    summary: "Disable your two-factor authentication",
    body: passwordProof,
    response: done,
    async run({ body, identity, address, audit }) {
      const { user } = settledOf(identity);
      if (needsTwoFactor(user, deps.catalog.current().settings.signIn))
        throw new GatewayError("conflict", "Two-factor authentication is required here.");
      const proven = await provePassword(deps, { user, password: body.password, address, param: "password" });
      await deps.database.transaction(async (tx) => {
        await stayProven(tx, proven);
        if (!(await deleteTotp(tx, user.id)))
          throw new GatewayError("conflict", "Two-factor authentication is not enabled.");
        await audit(tx, { action: "totp.remove", subject: user.email });
      });
      return { done: true } as const;
    },
  });
}
