/** An event of a kind that this version does not have: a newer version wrote it, and can apply it. */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor({ log, n }: { readonly log: string; readonly n: number }) {
    super(`commit ${n} of ${log} holds an event of a kind that this version does not have`);
  }
}
