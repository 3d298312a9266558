import { type ReactNode, useState } from "react";
import type { AccountDetail } from "../../../../src/console/accounts/contract.ts";
import { write } from "../../api/client.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { operatorAccountWords } from "./words.ts";

/** The keys that tags of the account's requests may have; typed and then changed, not by a slip. */
export function TagKeys({ account }: { readonly account: AccountDetail }): ReactNode {
  const t = useWords(operatorAccountWords);
  const known = account.tag_keys.join(", ");
  const [typed, setTyped] = useState(known);
  const change = useWrite(
    (tag_keys: string[]) => write("PATCH", `/operator/accounts/${account.id}`, { tag_keys }),
    ({ tag_keys }) => {
      setTyped(tag_keys.join(", "));
      toast(t.tagKeysSaved);
    },
  );
  return (
    <form
      className="flex flex-wrap items-center gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        change.mutate(keysIn(typed));
      }}
    >
      <div className="w-72 max-w-full">
        <Field label={t.tagKeys} quiet>
          <Input
            value={typed}
            placeholder={t.tagKeysHint}
            onChange={(event) => setTyped(event.target.value)}
            spellCheck={false}
          />
        </Field>
      </div>
      {typed !== known && (
        <Button type="submit" busy={change.isPending}>
          {t.saveTagKeys}
        </Button>
      )}
      {change.error !== null && <Failed error={change.error} />}
    </form>
  );
}

function keysIn(text: string): string[] {
  return text
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "");
}
