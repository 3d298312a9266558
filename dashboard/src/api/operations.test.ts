import { describe, expectTypeOf, it } from "vitest";
import type { KeyDetail, KeyRow, NewKey } from "../../../src/console/keys/contract.ts";
import type { apiUrl, read, write } from "./client.ts";
import type { BodyOf, QueryOf, ResponseOf, RowOf } from "./operations.ts";
import type { useList } from "./use-list.ts";

type Keys = `/accounts/${string}/keys`;
type Key = `/accounts/${string}/keys/${string}`;

/**
 * The compiler checks these calls against the gateway's description of its API; it is `npm run check:types` that fails
 * here.
 */
describe("a call of the console", () => {
  it("answers what the operation's contract says", () => {
    expectTypeOf<ResponseOf<Key, "get">>().toExtend<KeyDetail>();
    expectTypeOf<KeyDetail>().toExtend<ResponseOf<Key, "get">>();
    expectTypeOf<RowOf<Keys>>().toExtend<KeyRow>();
    expectTypeOf<ResponseOf<"/operator/accounts/1", "get">>().toBeNever();
  });

  it("takes the body and the query of that operation", () => {
    expectTypeOf<NewKey>().toExtend<BodyOf<Keys, "post">>();
    expectTypeOf<{ name: number }>().not.toExtend<BodyOf<Keys, "post">>();
    expectTypeOf<{ disabled: true; name: undefined }>().toExtend<BodyOf<Keys, "post">>();
    expectTypeOf<keyof QueryOf<Keys>>().toEqualTypeOf<"limit" | "after" | "state" | "search">();
  });

  it("is refused where the console has no such path, method, query or body", () => {
    const account: string = "1";
    const calls = (
      ...[ask, change, list, url]: [typeof read, typeof write, typeof useList, typeof apiUrl]
    ): void => {
      void ask(`/accounts/${account}/keys`, { limit: 1 });
      // @ts-expect-error: no such path.
      void ask(`/accounts/${account}/keyz`);
      // @ts-expect-error: a path of which others are parts.
      void ask(`/operator/accounts/${account}/nothing`);
      // @ts-expect-error: no such name in the query.
      list(`/accounts/${account}/keys`, { stat: "current" });
      // @ts-expect-error: it is only asked for.
      void change("PUT", `/accounts/${account}/keys`, {});
      // @ts-expect-error: it takes a body.
      void change("POST", `/accounts/${account}/invitations`);
      // @ts-expect-error: a name is a text.
      void change("POST", `/accounts/${account}/keys`, { name: 1 });
      // @ts-expect-error: one path is there, the other is not.
      void ask(account === "1" ? ("/me/tokens" as const) : ("/me/nothing" as const));
      url(`/accounts/${account}/requests.csv`);
      // @ts-expect-error: no such file.
      url(`/accounts/${account}/keys.csv`);
    };
    expectTypeOf(calls).toBeFunction();
  });
});
