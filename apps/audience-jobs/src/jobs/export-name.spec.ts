import { describe, expect, it } from '@jest/globals';
import { ExportFormat, JobAccepted } from '@tidings/events';
import { acceptedIn, archiveOf, fileOf } from './export-name.ts';

const acceptedAt = new Date('2026-01-15T12:00:00.999Z');
const of = (application: string, exportFormat: ExportFormat, status: 'Pending' | 'Completed' = 'Completed') => ({
  status,
  acceptedAt,
  accepted: JobAccepted.fromPartial({ application, exportFormat }),
});
const csv = of('A1B2C-3D4E5', ExportFormat.EXPORT_FORMAT_CSV);

describe('the name of an archive', () => {
  it('contains application, second and format', () => {
    expect(fileOf(csv)).toBe('export_segment_A1B2C-3D4E5_1768478400.csv');
    expect(archiveOf(csv)).toBe('export_segment_A1B2C-3D4E5_1768478400.csv.zip');
    expect(archiveOf(of('', ExportFormat.EXPORT_FORMAT_JSON))).toBe('export_segment_ALL_1768478400.json.zip');
    expect(acceptedIn(archiveOf(csv)!)).toBe(1768478400);
  });

  it('is undefined before the archive is complete, and without an archive', () => {
    expect(archiveOf(of('', ExportFormat.EXPORT_FORMAT_CSV, 'Pending'))).toBeUndefined();
    expect(archiveOf(of('', ExportFormat.EXPORT_FORMAT_UNSPECIFIED))).toBeUndefined();
    for (const name of ['', 'a.zip', 'export_segment_ALL_1.csv', 'export_segment_ALL_.csv.zip']) {
      expect(acceptedIn(name)).toBeUndefined();
    }
  });
});
