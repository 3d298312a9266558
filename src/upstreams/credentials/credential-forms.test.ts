import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { kindOf } from "../kinds.ts";
import {
  credentialText,
  formProblems,
  heldInParts,
  maskedParts,
  partsOf,
  referenceOfField,
  referenceText,
} from "./credential-forms.ts";

const FORMS = kindOf("azure")?.credentialForms ?? [];

describe("a credential of several fields", () => {
  it("is one text that says the same whatever order its fields came in, and a plain key is itself", () => {
    expect(credentialText({ api_key: "key-1" })).toBe("key-1");
    expect(partsOf("key-1")).toEqual({ api_key: "key-1" });
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom("a", "b", "c", "api_key"), fc.string({ minLength: 1 }), { minKeys: 2 }),
        (parts) => {
          const turned = Object.fromEntries(Object.entries(parts).reverse());
          expect(credentialText(turned)).toBe(credentialText(parts));
          expect(partsOf(credentialText(parts))).toEqual({ ...parts });
        },
      ),
    );
  });

  it.each([
    [{ api_key: "k" }, []],
    [{ tenant_id: "t", client_id: "c", client_secret: "s" }, []],
    [{ from: "managed-identity" }, []],
    [{ from: "managed-identity", client_id: "c" }, []],
    [{ tenant_id: "t", client_secret: "s" }, ["client_id"]],
    [{ tenant_id: "t", client_id: "c", client_secret: "s", certificate: "p" }, ["certificate"]],
    [{ from: "elsewhere" }, ["from"]],
    [{ from: "managed-identity", client_secret: "s" }, ["client_secret"]],
    [{ other: "x" }, [""]],
  ])("is known by its fields, or told which one is wrong: %j", (parts, fields) => {
    expect(formProblems(FORMS, parts as Record<string, string>).map(({ field }) => field)).toEqual(fields);
  });

  it("is told of in correct words", () => {
    const told = ["azure", "bedrock", "vertex"].flatMap((kind) =>
      (kindOf(kind)?.credentialForms ?? []).flatMap(({ from = "" }) =>
        ["access_key_id", "client_secret", "other"].flatMap((field) =>
          formProblems(
            kindOf(kind)?.credentialForms ?? [],
            from === "" ? { [field]: "x" } : { from, [field]: "x" },
          ),
        ),
      ),
    );
    expect(told.map(({ message }) => message).filter((message) => /\ba [aeiou]/.test(message))).toEqual([]);
    expect(told.length).toBeGreaterThan(3);
  });

  it("shows what is no secret, and masks the rest, also fields that nobody knows", () => {
    const text = credentialText({ tenant_id: "t-1", client_id: "c-1", client_secret: "s-1", other: "o-1" });
    expect(maskedParts(FORMS, text)).toEqual({
      tenant_id: "t-1",
      client_id: "c-1",
      client_secret: "***",
      other: "***",
    });
  });

  it("gives its secrets to those who take them out of vendors' words, those in a document too", () => {
    const document = JSON.stringify({
      private_key: "pem-of-key",
      client_email: "me@project.example",
      type: "x",
    });
    const held = heldInParts(FORMS)(
      credentialText({ tenant_id: "tenant-1", client_secret: "secret-1", other: document }),
    );
    expect(held.secrets).toEqual(
      ["secret-1", document, "pem-of-key"].toSorted(
        (a, b) => held.secrets.indexOf(a) - held.secrets.indexOf(b),
      ),
    );
    expect(held.names.toSorted()).toEqual(["me@project.example", "tenant-1"]);
  });

  it("remembers the variable of each field", () => {
    const parts = { tenant_id: "t", client_secret: "s" };
    const text = referenceText(parts, new Map([["client_secret", "AZURE_SECRET"]]));
    expect(referenceOfField(parts, text, "client_secret")).toBe("AZURE_SECRET");
    expect(referenceOfField(parts, text, "tenant_id")).toBeNull();
    expect(referenceText({ api_key: "k" }, new Map([["api_key", "KEY"]]))).toBe("KEY");
    expect(referenceText(parts, new Map())).toBeNull();
  });
});
