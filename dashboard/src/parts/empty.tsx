import type { ReactNode } from "react";

/** Nothing there yet: what it would be, and what to do next. `<Empty title={t.noKeys} action={<Button …/>}>{t.why}</Empty>` */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children?: ReactNode;
  readonly action?: ReactNode;
}): ReactNode {
  return (
    <div className="flex flex-col items-start gap-2 py-8">
      <p className="font-medium">{title}</p>
      {children && <div className="max-w-prose text-mute">{children}</div>}
      {action && <div className="pt-2">{action}</div>}
    </div>
  );
}
