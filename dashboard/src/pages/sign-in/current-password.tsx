import type { ReactNode } from "react";
import { Field, Input } from "../../parts/field.tsx";

/** Hidden from view: password managers store a new password under this name. */
export function HiddenUserName({ email }: { readonly email: string }): ReactNode {
  return (
    <input className="sr-only" autoComplete="username" readOnly tabIndex={-1} aria-hidden value={email} />
  );
}

interface CurrentPasswordProps {
  readonly label: string;
  readonly error: string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The field for the password that the user signs in with. */
export function CurrentPassword({ label, error, value, onChange }: CurrentPasswordProps): ReactNode {
  return (
    <Field label={label} error={error}>
      <Input
        type="password"
        autoComplete="current-password"
        required
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </Field>
  );
}
