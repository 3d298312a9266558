import { type ReactNode, useState } from "react";
import { Field, Input } from "../../parts/field.tsx";
import { useWords } from "../../words/use-words.ts";
import { signInWords } from "./words.ts";

/** Both fields of a password that somebody chooses, and whether they hold the same. */
export function useNewPassword(): {
  readonly password: string;
  readonly fields: ReactNode;
  /** Says what is wrong, if something is. */
  check(): boolean;
} {
  const t = useWords(signInWords);
  const [password, setPassword] = useState("");
  const [again, setAgain] = useState("");
  const [differs, setDiffers] = useState(false);
  const fields = (
    <>
      <Field label={t.newPassword} hint={t.passwordHint}>
        <Input
          type="password"
          autoComplete="new-password"
          required
          minLength={8}
          maxLength={200}
          value={password}
          onChange={(event) => setPassword(event.target.value)}
        />
      </Field>
      <Field label={t.again} error={differs ? t.differs : undefined}>
        <Input
          type="password"
          autoComplete="new-password"
          required
          value={again}
          onChange={(event) => setAgain(event.target.value)}
        />
      </Field>
    </>
  );
  const check = (): boolean => {
    setDiffers(password !== again);
    return password === again;
  };
  return { password, fields, check };
}
