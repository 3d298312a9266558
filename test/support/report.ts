/** Says a measured figure or a seed in the test run's own output. */
export function report(line: string): void {
  process.stdout.write(`${line}\n`);
}
