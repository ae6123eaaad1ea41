import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');

/** Identifiers that words of docs/glossary.md have replaced, with what replaces them. Whole identifiers, in any case of the first letter. */
const REPLACED: Readonly<Record<string, string>> = {
  brokenLaws: 'brokenInvariants',
  chunkSet: 'bitmap',
  commitEmptying: 'commitRedaction',
  crowd: 'population',
  desk: 'buffers',
  desks: 'bufferPool',
  eventsRaised: 'eventsEnqueued',
  fate: 'outcome',
  fates: 'outcomes',
  folded: 'applied',
  foldEveryMs: 'applyEveryMs',
  formUnderTest: 'modeUnderTest',
  glance: 'partialDecoder',
  heldReport: 'pendingReport',
  incarnation: 'epoch',
  isPassing: 'isTransient',
  isWithinReach: 'hasAccess',
  commitsKept: 'commitRetention',
  keptMs: 'retentionMs',
  leftovers: 'orphans',
  marksId: 'sendableId',
  deviceNotes: 'selfReportedState',
  claimsParts: 'claimsDeps',
  dispatchParts: 'dispatchDeps',
  mergeNotes: 'mergeSelfReports',
  notesField: 'selfReportedField',
  occur: 'recordEvent',
  openEmptying: 'openRedaction',
  parked: 'deadLetter',
  personOf: 'hwidHashOf',
  jobPiece: 'partEntries',
  jobPieceProcessed: 'jobPartProcessed',
  openPieces: 'openJobParts',
  pieceDocument: 'jobPartDocument',
  pieceProcessor: 'partProcessor',
  piecesModel: 'jobPartsModel',
  storePiece: 'storePart',
  takePieces: 'takeRanges',
  presented: 'credentials',
  raisedKind: 'enqueuedKind',
  repaired: 'refreshed',
  resting: 'deferred',
  sister: 'sibling',
  sisters: 'siblings',
  standing: 'access',
  sendingParts: 'sendingDeps',
  streamParts: 'streamDeps',
  struck: 'runFaultScenario',
  toldChange: 'deliveryChange',
  toldDocument: 'deliveryDocument',
  unanswered: 'outcomeUnknown',
  unfit: 'invalidTags',
  verdict: 'sendResult',
  windowId: 'sliceId',
  windowSize: 'sliceSize',
};

const pattern = new RegExp(`(?<![\\w$])(?:${Object.keys(REPLACED).join('|')})(?![\\w$])`, 'gi');

/** The code of a file: comments, texts and patterns may say in plain English what identifiers may not. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "''");

const replacedIn = (text: string): string[] => [...codeOf(text).matchAll(pattern)].map(([word]) => word);

describe('words that the glossary has replaced', () => {
  const files = globSync('{apps,libs,bench}/**/*.ts', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|generated)$/.test(path),
  });

  it('are not identifiers', () => {
    const found = files.flatMap((file) =>
      replacedIn(readFileSync(join(root, file), 'utf8')).map((word) => `${word} in ${file}`),
    );
    expect(found).toEqual([]);
  });

  it('are found in code, and not in comments or texts', () => {
    expect(replacedIn(`const desk = 1; // a desk\nlog('parked'); /* a verdict */ type Verdict = string;`)).toEqual([
      'desk',
      'Verdict',
    ]);
  });
});
