import { GatewayError } from "../../errors.ts";
import { deleteOtherSessions, deleteSession, readSessions } from "../../users/sign-in/sessions-store.ts";
import { setLanguage, setName } from "../../users/users-store.ts";
import type { ConsoleDeps } from "../deps.ts";
import { idOf } from "../input.ts";
import { json, type Operation } from "../operation.ts";
import { done } from "../session/contract.ts";
import { browserOf, settledOf } from "../session/session-response.ts";
import { endedSessions, languageBody, nameBody, sessionList } from "./contract.ts";

/** One's name and the browsers that are signed in. */
export function meOperations({ database }: ConsoleDeps): readonly Operation[] {
  const tag = "me";
  return [
    json({
      method: "PATCH",
      path: "/me",
      policy: "user",
      tag,
      summary: "Change your name",
      body: nameBody,
      response: nameBody,
      async run({ body, identity, audit }) {
        const { user } = settledOf(identity);
        await database.transaction(async (tx) => {
          await setName(tx, user.id, body.name);
          const change = { before: { name: user.name }, after: { name: body.name } };
          await audit(tx, { action: "user.update", subject: user.email, ...change });
        });
        return { name: body.name };
      },
    }),
    json({
      method: "PUT",
      path: "/me/language",
      policy: "user",
      tag,
      summary: "Set the language of e-mail to you",
      unaudited: "it concerns nobody's rights, and changes with a click",
      body: languageBody,
      response: languageBody,
      async run({ body, user }) {
        await setLanguage(database, user().id, body.language);
        return body;
      },
    }),
    json({
      method: "GET",
      path: "/me/sessions",
      policy: "user",
      tag,
      summary: "Your sessions",
      response: sessionList,
      async run({ identity, user }) {
        const rows = await readSessions(database, user().id);
        const own = identity?.via === "session" ? identity.sessionId : undefined;
        const data = rows.map(({ id, address, userAgent, createdAt, lastSeenAt, expiresAt }) => ({
          id: String(id),
          current: id === own,
          address,
          user_agent: userAgent,
          created_at: createdAt.toISOString(),
          last_seen_at: lastSeenAt.toISOString(),
          expires_at: expiresAt.toISOString(),
        }));
        return { data, next: null };
      },
    }),
    json({
      method: "DELETE",
      path: "/me/sessions/{session}",
      policy: "user",
      tag,
      summary: "End a session",
      response: done,
      async run({ params, identity, audit }) {
        const { id, email } = browserOf(identity).user;
        const session = idOf(params["session"], UNKNOWN);
        await database.transaction(async (tx) => {
          if (!(await deleteSession(tx, id, session))) throw new GatewayError("not_found", UNKNOWN);
          await audit(tx, { action: "session.revoke", subject: email, before: { session } });
        });
        return { done: true } as const;
      },
    }),
    json({
      method: "DELETE",
      path: "/me/sessions",
      policy: "user",
      tag,
      summary: "End all other sessions",
      response: endedSessions,
      async run({ identity, audit }) {
        const { user, sessionId } = browserOf(identity);
        const ended = await database.transaction(async (tx) => {
          const number = await deleteOtherSessions(tx, user.id, sessionId);
          await audit(tx, { action: "session.revoke", subject: user.email, before: { sessions: number } });
          return number;
        });
        return { ended };
      },
    }),
  ];
}

const UNKNOWN = "Session not found.";
