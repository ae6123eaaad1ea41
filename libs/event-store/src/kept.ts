import { inDays, type KeptCollection } from '@tidings/mongo';

/** The collections that the logs of a category have beside their states. @param keptMs how long commits are kept */
export const collectionsOfLogs = (category: string, keptMs: number): readonly KeptCollection[] => [
  { name: `${category}.commits`, kept: `${inDays(keptMs)}, and until they are applied and published` },
  { name: `${category}.heads`, kept: 'as long as there is the log' },
  { name: `${category}.quarantine`, kept: 'until the document can be applied' },
  { name: `${category}.unpublished`, kept: 'until an operator removes it' },
];
