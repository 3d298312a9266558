import { type FormEvent, type ReactNode, useState } from "react";
import { faultOf } from "../../api/api-error.ts";
import { Button } from "../../parts/button.tsx";
import { DialogButtons } from "../../parts/dialog.tsx";
import { Field, Input } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { Refusal } from "../sign-in/refusal.tsx";
import { meWords } from "./words.ts";

/** Asks for the password before something that whoever finds an open browser must not do. */
export function PasswordStep({
  label,
  busy,
  error,
  submit,
}: {
  readonly label: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly submit: (password: string) => void;
}): ReactNode {
  const t = useWords(meWords);
  const [password, setPassword] = useState("");
  const send = (event: FormEvent): void => {
    event.preventDefault();
    submit(password);
  };
  const wrong = faultOf(error, "password");
  return (
    <form className="flex flex-col gap-4" onSubmit={send}>
      <Field label={t.current} error={wrong === undefined ? undefined : t.wrong}>
        <Input
          type="password"
          autoComplete="current-password"
          required
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      {error != null && wrong === undefined && <Refusal error={error} />}
      <DialogButtons>
        <Button type="submit" look="primary" busy={busy}>
          {label}
        </Button>
      </DialogButtons>
    </form>
  );
}
