import { type FormEvent, type ReactNode, useState } from "react";
import { faultOf } from "../../api/api-error.ts";
import { Button } from "../../parts/button.tsx";
import { DialogButtons } from "../../parts/dialog.tsx";
import { useWords } from "../../words/use-words.ts";
import { CurrentPassword } from "../sign-in/current-password.tsx";
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
      <CurrentPassword
        label={t.current}
        error={wrong === undefined ? undefined : t.wrong}
        value={password}
        onChange={setPassword}
      />
      {error != null && wrong === undefined && <Refusal error={error} />}
      <DialogButtons>
        <Button type="submit" look="primary" busy={busy}>
          {label}
        </Button>
      </DialogButtons>
    </form>
  );
}
