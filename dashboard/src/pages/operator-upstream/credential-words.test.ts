import { expect, it } from "vitest";
import { KIND_NAMES, kindOf } from "../../../../src/upstreams/kinds.ts";
import { credentialWords, fieldWordIn } from "./credential-words.ts";

const FORMS = KIND_NAMES.flatMap((kind) =>
  (kindOf(kind)?.credentialForms ?? []).map((form) => [kind, form] as const),
);

it.each(["en", "zh"] as const)("name every form of credentials and every field of it, in %s", (language) => {
  const words = credentialWords[language];
  expect(Object.keys(words.forms).sort()).toEqual([...new Set(FORMS.map(([, { name }]) => name))].sort());
  const used = new Set<unknown>();
  for (const [kind, { name, from = null, fields }] of FORMS)
    for (const [field, { about }] of Object.entries(fields)) {
      const word = fieldWordIn(words, from, field);
      expect(word, `${kind}: ${name}: ${field}`).toBeDefined();
      used.add(word);
      // A variable that stands in for an empty field is named.
      for (const [variable] of about.matchAll(/[A-Z]+_[A-Z_]+/g)) expect(word?.help).toContain(variable);
    }
  expect(Object.values(words.fields).filter((word) => !used.has(word))).toEqual([]);
});
