import { inDays, type KeptCollection } from '@tidings/mongo';

/** The collections of a category's logs besides their states. @param keptMs retention of commits */
export const collectionsOfLogs = (category: string, keptMs: number): readonly KeptCollection[] => [
  { name: `${category}.commits`, kept: `${inDays(keptMs)}, and until they are applied and published` },
  { name: `${category}.heads`, kept: 'as long as there is the log' },
  { name: `${category}.quarantine`, kept: 'until the document can be folded' },
  { name: `${category}.unpublished`, kept: 'until an operator removes it' },
];
