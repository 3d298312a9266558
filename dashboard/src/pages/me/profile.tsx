import { type FormEvent, type ReactNode, useState } from "react";
import type { NameBody } from "../../../../src/console/users/contract.ts";
import { faultOf } from "../../api/api-error.ts";
import { write } from "../../api/client.ts";
import { useSession } from "../../api/session.ts";
import { useWrite } from "../../api/use-write.ts";
import { Button } from "../../parts/button.tsx";
import { Failed } from "../../parts/failure.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { toast } from "../../parts/toast.tsx";
import { useWords } from "../../words/use-words.ts";
import { meWords } from "./words.ts";

export function Profile(): ReactNode {
  const t = useWords(meWords);
  const { user } = useSession();
  const [name, setName] = useState(user.name);
  const save = useWrite(
    (body: NameBody) => write("PATCH", "/me", body),
    () => toast(t.saved),
  );
  const send = (event: FormEvent): void => {
    event.preventDefault();
    save.mutate({ name });
  };
  const wrong = faultOf(save.error, "name");
  return (
    <form className="flex max-w-sm flex-col gap-4" onSubmit={send}>
      <Field label={t.email}>
        <Input value={user.email} readOnly className="bg-shade text-mute" />
      </Field>
      <Field label={t.name} error={wrong}>
        <Input
          autoComplete="name"
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </Field>
      {save.error && wrong === undefined && <Failed error={save.error} />}
      <div>
        <Button type="submit" busy={save.isPending} disabled={name.trim() === user.name}>
          {t.save}
        </Button>
      </div>
    </form>
  );
}
