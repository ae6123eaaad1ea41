/** An event is of a kind that this version does not have: a newer one wrote it, and can go on with it. */
export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor({ log, n }: { readonly log: string; readonly n: number }) {
    super(`commit ${n} of ${log} holds an event of a kind that this version does not have`);
  }
}
