import type { NamedRecipients } from '@tidings/events';

export const namedIn = ({ seqs, byApplication }: NamedRecipients, application: string): readonly number[] =>
  byApplication.length === 0 ? seqs : (byApplication.find((each) => each.application === application)?.seqs ?? []);
