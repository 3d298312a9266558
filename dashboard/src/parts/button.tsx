import { Link, type LinkProps } from "@tanstack/react-router";
import type { ComponentProps, ReactNode } from "react";
import { Icon, type IconName } from "./icon.tsx";

type Look = "plain" | "primary" | "danger" | "quiet";

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: Look;
  readonly icon?: IconName;
  /** The click is being carried out: no second one counts. */
  readonly busy?: boolean;
}

/** `<Button look="primary" icon="plus" busy={create.isPending} onClick={…}>Create</Button>` */
export function Button({
  look = "plain",
  icon,
  busy = false,
  children,
  className = "",
  ...rest
}: ButtonProps): ReactNode {
  return (
    <button
      type="button"
      aria-busy={busy || undefined}
      {...rest}
      disabled={busy || rest.disabled}
      className={`${BASE} ${LOOKS[look]} ${className}`}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A link that looks like a button, for what leads to another page. */
export function ButtonLink({
  look = "plain",
  icon,
  children,
  ...rest
}: LinkProps & { readonly look?: Look; readonly icon?: IconName; readonly children: ReactNode }): ReactNode {
  return (
    <Link {...rest} className={`${BASE} ${LOOKS[look]}`}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

/** A button that is only a drawing; its label is said to who cannot see it, and shown on hover. */
export function IconButton({
  icon,
  label,
  className = "",
  ...rest
}: ComponentProps<"button"> & { readonly icon: IconName; readonly label: string }): ReactNode {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`inline-flex size-8 shrink-0 items-center justify-center rounded-md text-mute hover:bg-shade hover:text-ink disabled:opacity-50 ${className}`}
    >
      <Icon name={icon} />
    </button>
  );
}

const BASE =
  "inline-flex h-8 items-center justify-center gap-2 whitespace-nowrap rounded-md border px-3 font-medium disabled:cursor-not-allowed disabled:opacity-60 aria-busy:animate-pulse";

const LOOKS: Readonly<Record<Look, string>> = {
  plain: "border-line bg-paper text-ink hover:bg-shade",
  primary: "border-accent bg-accent text-accent-ink hover:opacity-90",
  danger: "border-bad bg-paper text-bad hover:bg-bad-soft",
  quiet: "border-transparent text-accent hover:bg-accent-soft",
};
