import { audienceSize, audienceStage, type ChannelFunnel, type ChunkStages, type Stage, total } from './figures.ts';
import { type HourSets, upToHour } from './hour-sets.ts';

export const entriesOpened = ({ inbox }: ChunkStages): number => upToHour(inbox.entriesOpened).size;

export const isInInbox = ({ inbox }: ChunkStages): boolean => audienceSize(inbox) > 0;

/** The plan gives every eligible device an entry (R-H20). */
export function inboxFunnel(stages: readonly ChunkStages[], last: number): ChannelFunnel[] {
  if (stages.length === 0) return [];
  const stage = (name: string, pick: (chunk: ChunkStages) => HourSets, upTo: number): Stage => ({
    stage: name,
    total: total(stages, (chunk) => upToHour(pick(chunk), upTo).intersect(chunk.inbox.eligible).size),
    pieces: [],
    errors: [],
  });
  const reached = ({ inbox }: ChunkStages): HourSets => inbox.reached;
  return [
    {
      channel: 'CHANNEL_APP_INBOX',
      deliveriesForm: 'DELIVERIES_FORM_BASIC',
      basicFormReason: 'BASIC_FORM_REASON_NOT_APPLICABLE',
      confirmedDeliveries: stage('', reached, Number.POSITIVE_INFINITY).total,
      funnel: [
        audienceStage(stages, ({ inbox }) => inbox),
        { stage: 'STAGE_SENT', total: total(stages, ({ inbox }) => inbox.eligible.size), pieces: [], errors: [] },
        { stage: 'STAGE_ERRORS', total: { count: 0, platforms: [] }, pieces: [], errors: [] },
        stage('STAGE_REACHED', reached, last),
        stage('STAGE_READ', ({ inbox }) => inbox.read, last),
        stage('STAGE_OPENED', ({ inbox }) => inbox.opened, last),
      ],
    },
  ];
}
