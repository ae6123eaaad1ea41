import type { Bitmap } from '@tidings/kernel';
import { type ChunkStages, type MailMetrics, openedHoursOf, type Piece, sentOf, type Stage, total } from './figures.ts';
import { upToHour } from './hour-sets.ts';
import { bounceCategories, bouncedAs, type MailStages, noMail, type OpensSplit, splitOpens } from './mail-stages.ts';

const REJECTS = ['UNSUBSCRIBED', 'BOUNCED', 'COMPLAINT'];

export function mailMetricsOf(stages: readonly ChunkStages[]): MailMetrics {
  const sum = (pick: (chunk: ChunkStages, mail: MailStages) => number): number =>
    stages.reduce((all, chunk) => all + pick(chunk, chunk.mail ?? noMail), 0);
  return {
    confirmedSends: sum((_, { accepted }) => upToHour(accepted).size),
    hardBounces: sum((_, mail) => bouncedAs(mail, 'hard').size),
    softBounces: sum((_, mail) => bouncedAs(mail, 'soft').size),
    rejects: sum(({ excluded }) => REJECTS.reduce((all, reason) => all + (excluded.get(reason)?.size ?? 0), 0)),
    unsubs: sum(({ eligible }, { unsubscribed }) => upToHour(unsubscribed).intersect(eligible).size),
    complaints: sum(({ eligible }, { complained }) => upToHour(complained).intersect(eligible).size),
  };
}

/** The pieces overlap, and are never summed (R-H15). */
export function bouncePieces(stages: readonly ChunkStages[], last: number): Piece[] {
  const subset = (category: string, of: Parameters<typeof bouncedAs>[1]): Piece => ({
    kind: 'KIND_SUBSET',
    category,
    total: total(stages, ({ mail = noMail }) => bouncedAs(mail, of, last).size),
  });
  return [
    subset('BOUNCED_HARD', 'hard'),
    subset('BOUNCED_SOFT', 'soft'),
    ...bounceCategories.map((category) => subset(category, category)),
  ];
}

export function readingStages(stages: readonly ChunkStages[], last: number, areSplit: boolean): Stage[] {
  const piece = (kind: string, category: string, pick: (split: OpensSplit) => Bitmap): Piece => ({
    kind,
    category,
    total: total(stages, (chunk) => pick(splitOpens(chunk.mail ?? noMail, last)).intersect(sentOf(chunk)).size),
  });
  return [
    {
      stage: 'STAGE_OPENED',
      total: total(stages, (chunk) => upToHour(openedHoursOf(chunk), last).intersect(sentOf(chunk)).size),
      pieces: areSplit
        ? [
            piece('KIND_PASSED', 'OPENED_BY_RECIPIENT', ({ human }) => human),
            piece('KIND_REASON', 'MACHINE_OPENS_ONLY', ({ machine }) => machine),
            piece('KIND_REASON', 'OPEN_TYPE_UNKNOWN', ({ unknown }) => unknown),
          ]
        : [piece('KIND_SUBSET', 'MACHINE_OPENS_AMPP', ({ ampp }) => ampp)],
      errors: [],
    },
    {
      stage: 'STAGE_INTERACTIONS',
      total: total(
        stages,
        (chunk) => upToHour(chunk.mail?.clicked ?? noMail.clicked, last).intersect(sentOf(chunk)).size,
      ),
      pieces: [],
      errors: [],
    },
  ];
}
