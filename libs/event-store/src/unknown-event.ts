export class UnknownEvent extends Error {
  override readonly name = 'UnknownEvent';

  constructor({ log, position }: { readonly log: string; readonly position: number }) {
    super(`commit ${position} of ${log} holds an event of a kind that this version does not have`);
  }
}
