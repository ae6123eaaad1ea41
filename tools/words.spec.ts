import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '..');

/** Wherever they are part of an identifier or a file name. */
const REPLACED_WORDS: Readonly<Record<string, string>> = {
  afresh: 'fresh',
  authorities: 'CA certificates',
  broke: 'connection lost',
  bygone: 'without devices',
  crowd: 'population',
  crowds: 'populations',
  desk: 'buffers',
  desks: 'buffer pool',
  emptied: 'redacted',
  emptying: 'redaction',
  fate: 'outcome',
  fates: 'outcomes',
  fold: 'apply',
  folded: 'applied',
  folding: 'applying',
  folds: 'applies',
  gate: 'throttle',
  gates: 'throttles',
  glance: 'partial decode',
  glances: 'partial decodes',
  incarnation: 'epoch',
  incarnations: 'epochs',
  laws: 'invariants',
  leftover: 'orphan',
  leftovers: 'orphans',
  park: 'dead letter',
  parked: 'dead letter',
  parking: 'dead letter',
  permits: 'semaphore',
  person: 'hwid hash',
  persons: 'hwid hashes',
  presented: 'credentials',
  raised: 'enqueued',
  remains: 'orphans',
  repair: 'refresh',
  repaired: 'refreshed',
  repairs: 'refreshes',
  resting: 'deferred',
  sister: 'sibling',
  sisters: 'siblings',
  standing: 'access',
  struck: 'fault scenario',
  told: 'delivered',
  turns: 'semaphore',
  unanswered: 'unknown outcome',
  unclear: 'unresolved',
  unfit: 'invalid',
  verdict: 'send result',
  verdicts: 'send results',
  waking: 'retry scheduler',
  woken: 'resumed',
};

/** Whole names in any notation, of words that have another meaning elsewhere. */
const REPLACED_NAMES: Readonly<Record<string, string>> = {
  accessOfAnyone: 'anonymousAccess',
  askedOf: 'termOf',
  brokenLaw: 'brokenInvariant',
  calledContact: 'canonicalContact',
  chunkSet: 'bitmap',
  chunkSets: 'bitmaps',
  claimsParts: 'claimsDeps',
  commitsKept: 'commitRetention',
  contactCalled: 'canonicalContact',
  contactOfMail: 'emailContact',
  contactsMeant: 'resolveContacts',
  deploymentForm: 'deploymentMode',
  deviceNotes: 'selfReportedState',
  devicesMeant: 'resolveDevices',
  dispatchParts: 'dispatchDeps',
  formUnderTest: 'modeUnderTest',
  handOn: 'moveStates',
  heldBytes: 'maxTextBytes',
  heldReport: 'pendingReport',
  heldReports: 'pendingReports',
  isPassing: 'isTransient',
  isSamePlace: 'isSamePosition',
  isWithinReach: 'hasAccess',
  jobPiece: 'partEntries',
  jobPieceProcessed: 'jobPartProcessed',
  jobPieces: 'jobParts',
  keptMs: 'retentionMs',
  knownMessage: 'storedMessage',
  law: 'invariant',
  life: 'epoch',
  lives: 'epochs',
  mailContact: 'emailContact',
  marks: 'sliceStatuses',
  marksId: 'sendableId',
  meet: 'resolveClaim',
  meetClaim: 'resolveClaim',
  mergeNotes: 'mergeSelfReports',
  notesField: 'selfReportedField',
  numberedLog: 'eventLog',
  occur: 'recordEvent',
  openPieces: 'openJobParts',
  ownerLease: 'workerLease',
  ownerLeases: 'workerLeases',
  passedOn: 'verbatim',
  passing: 'transient',
  pieceDocument: 'jobPartDocument',
  pieceProcessor: 'partProcessor',
  piecesModel: 'jobPartsModel',
  saidInbox: 'inboxSettings',
  sendingParts: 'sendingDeps',
  standIn: 'simulator',
  standInDeps: 'simulatorDeps',
  standInParts: 'simulatorDeps',
  standIns: 'simulators',
  storePiece: 'storePart',
  streamParts: 'streamDeps',
  takePieces: 'takeRanges',
  troubleWith: 'providerFindings',
  wakeSlice: 'resume',
  wantedBy: 'tagSlots',
  wantedTag: 'predicateTag',
  weightOf: 'maxBytesOf',
  windowId: 'sliceId',
  windowSize: 'sliceSize',
};

/** The retention of messages. */
const ALLOWED = new Set(['KEPT_MS']);

/** They say nothing where they are read alone. */
const NAMELESS = new Set(['rpc.ts', 'store.ts', 'log.ts']);

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter(Boolean);

const names = new Set(Object.keys(REPLACED_NAMES).map((name) => wordsOf(name).join(' ')));

const isReplaced = (name: string): boolean => {
  if (ALLOWED.has(name)) return false;
  const words = wordsOf(name);
  return names.has(words.join(' ')) || words.some((word) => Object.hasOwn(REPLACED_WORDS, word));
};

/** Comments, texts and patterns may use words that identifiers may not. */
const codeOf = (text: string): string =>
  text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/(^|\s)\/\/.*$/gm, '$1')
    .replace(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "''");

const replacedIn = (text: string): string[] =>
  [...codeOf(text).matchAll(/[A-Za-z_$][\w$]*/g)].map(([name]) => name).filter(isReplaced);

const isMisnamed = (file: string): boolean => {
  const name = basename(file);
  return isReplaced(name.split('.')[0]!) || NAMELESS.has(name);
};

describe('replaced words of the glossary', () => {
  const files = globSync('{apps,libs,bench,tools,proto}/**/*.{ts,mjs,proto}', {
    cwd: root,
    exclude: (path) => /(^|\/)(node_modules|dist|generated)$/.test(path),
  }).filter((file) => basename(file) !== 'words.spec.ts');

  it('are in no identifier of the code, the tools and the protos', () => {
    const found = files.flatMap((file) =>
      replacedIn(readFileSync(join(root, file), 'utf8')).map((word) => `${word} in ${file}`),
    );
    expect(found).toEqual([]);
  });

  it('are in no file name, and a file name states the purpose of the file', () => {
    const documents = globSync('{docs,deploy,bench}/**/*.{md,yml,yaml,json}', {
      cwd: root,
      exclude: (path) => /(^|\/)(node_modules|dist)$/.test(path),
    });
    expect([...files, ...documents].filter(isMisnamed)).toEqual([]);
    expect(['a/rpc.ts', 'a/parked.int.spec.ts', 'a/stand-ins.ts'].filter((file) => !isMisnamed(file))).toEqual([]);
  });

  it('leave the suffix controller to classes that Nest routes', () => {
    const unrouted = files.filter(
      (file) =>
        file.endsWith('.controller.ts') && !readFileSync(join(root, file), 'utf8').match(/@(?:Api)?Controller\(/),
    );
    expect(unrouted).toEqual([]);
  });

  it('are found in code, in any notation, and not in comments or texts', () => {
    expect(replacedIn(`const desk = 1; // a desk\nlog('parked'); /* a verdict */ type SendVerdict = string;`)).toEqual([
      'desk',
      'SendVerdict',
    ]);
    expect(
      replacedIn('const WINDOW_SIZE = 1; readonly #toldAt = 0; gates_open; optional uint32 window_id = 1;'),
    ).toEqual(['WINDOW_SIZE', 'toldAt', 'gates_open', 'window_id']);
    expect(replacedIn('initialWindowSize; delegate; formatToParts; investigates; aggregated')).toEqual([]);
  });
});

describe('the glossary', () => {
  const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8');
  const rows = [...glossary.matchAll(/^\|(.*)\|$/gm)]
    .map(([, cells]) => cells!.split('|').map((cell) => cell.trim()))
    .filter(([word]) => word !== 'word' && !/^-+$/.test(word!));

  it('has a meaning and a place in the tree for every word', () => {
    const incomplete = rows.filter(([, meaning, place]) => !meaning || !/`(apps|libs|proto|docs)\//.test(place ?? ''));
    expect(incomplete).toEqual([]);
  });

  it.each(
    [
      ...['log', 'commit', 'head', 'relay', 'decider', 'projection', 'checkpoint', 'event', 'command', 'query'],
      ...['plan', 'chunk', 'seq', 'lane', 'attempt', 'lease', 'batch', 'funnel', 'stage', 'adapter', 'port'],
      ...['embedded', 'distributed', 'semaphore', 'slice', 'throttle', 'epoch'],
    ].map((word) => [word]),
  )('has a row for %s', (word) => {
    expect(rows.filter(([words]) => words!.split(', ').includes(word))).toHaveLength(1);
  });
});
