import { GatewayError } from "../../errors.ts";
import type { Queryable } from "../../storage/database.ts";
import type { UserId } from "../../users/identity.ts";
import { type ListedUser, readListedUser } from "../../users/members/user-list-store.ts";
import {
  findByIdentity,
  type LinkedIdentity,
  linkIdentity,
  readIdentities,
  unlinkIdentity,
} from "../../users/sign-in/oidc-store.ts";
import { endAccess } from "../../users/sign-in/reset-access.ts";
import { distrustEmail } from "../../users/users-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf, notFound } from "../input.ts";
import { type Call, json, type Operation } from "../operation.ts";
import { done } from "../session/contract.ts";
import { clientOf } from "../session/oidc.ts";
import { settledOf } from "../session/session-response.ts";
import { type IdentityRow, identityBody, identityList, identityRow } from "./contract.ts";

/** Links from subjects of identity providers to users, made by an operator; also to the operator themselves. */
export function identityOperations(deps: ConsoleDeps): readonly Operation[] {
  return [list(deps), link(deps), unlink(deps)];
}

const path = "/operator/users/{user}/identities";
const described = { policy: "operator", tag: "users" } as const;

function list(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "GET",
    path,
    summary: "A user's linked identities",
    response: identityList,
    async run(call) {
      const user = await userOf(deps.database, call);
      const rows = await readIdentities(deps.database, user.id);
      return { data: rows.map((row) => rowOf(deps, row)), next: null };
    },
  });
}

function link(deps: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "POST",
    path,
    makes: true,
    summary: "Link an identity to a user, whatever its email address",
    body: identityBody,
    response: identityRow,
    async run(call) {
      const issuer = await issuerOf(deps, call.body.provider);
      const identity = { issuer, subject: call.body.subject };
      return deps.database.transaction(async (tx) => {
        const user = await changedOf(tx, call);
        const linked = await linkIdentity(tx, user.id, identity);
        if (linked === undefined) {
          const holder = await findByIdentity(tx, identity);
          throw new GatewayError(
            "conflict",
            `This identity is already linked to ${holder?.email ?? "another user"}.`,
            {
              param: "subject",
            },
          );
        }
        await call.audit(tx, { action: "identity.link", subject: user.email, after: identity });
        return rowOf(deps, linked);
      });
    },
  });
}

function unlink({ database }: ConsoleDeps): Operation {
  return json({
    ...described,
    method: "DELETE",
    path: `${path}/{identity}`,
    summary:
      "Unlink an identity; the user's sessions, console tokens and open invitations end, and only an operator can link another",
    response: done,
    async run(call) {
      const identity = idOf(call.params["identity"], "Identity not found.");
      await database.transaction(async (tx) => {
        const user = await changedOf(tx, call);
        const gone = await unlinkIdentity(tx, user.id, identity);
        if (gone === undefined) throw notFound("identity of this user");
        // Or the very subject would be back with its address at the next sign-in.
        await distrustEmail(tx, user.id);
        await endAccess(tx, user.id, isSelf(call, user) ? settledOf(call.identity).sessionId : null);
        const { issuer, subject } = gone;
        await call.audit(tx, { action: "identity.unlink", subject: user.email, before: { issuer, subject } });
      });
      return { done: true } as const;
    },
  });
}

/** The user of the path. A console token may change everybody's identities but its own person's: it would outlive itself. */
async function changedOf(tx: Queryable, call: Call<unknown, unknown>): Promise<ListedUser> {
  const user = await userOf(tx, call);
  if (isSelf(call, user)) settledOf(call.identity);
  return user;
}

async function userOf(db: Queryable, call: Call<unknown, unknown>): Promise<ListedUser> {
  const user = await readListedUser(db, idOf(call.params["user"], UNKNOWN) as UserId);
  if (user === undefined) throw new GatewayError("not_found", UNKNOWN);
  return user;
}

const UNKNOWN = "User not found.";

function isSelf(call: Call<unknown, unknown>, user: ListedUser): boolean {
  return user.id === call.user().id;
}

async function issuerOf(deps: ConsoleDeps, provider: string): Promise<string> {
  if (!providersOf(deps).some(({ id }) => id === provider))
    throw new GatewayError("invalid_request", "provider: not found in settings.sign_in.oidc.", {
      param: "provider",
    });
  return deps.users.oidc.issuerOf(clientOf(deps, provider));
}

function rowOf(deps: ConsoleDeps, { id, issuer, subject, createdAt }: LinkedIdentity): IdentityRow {
  // Providers spell their issuer with or without a slash at its end, whatever the settings say.
  const provider = providersOf(deps).find((each) => sameAddress(each.issuer, issuer));
  return {
    id: String(id),
    provider: provider === undefined ? null : { id: provider.id, name: provider.name },
    issuer,
    subject,
    created_at: createdAt.toISOString(),
  };
}

function providersOf({ catalog }: ConsoleDeps) {
  return catalog.current().settings.signIn.oidc;
}

function sameAddress(one: string, other: string): boolean {
  return one.replace(/\/$/, "") === other.replace(/\/$/, "");
}
