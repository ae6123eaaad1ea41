import { ExportFormat } from '@tidings/events';
import type { Job } from '@tidings/jobs';

const extensions = {
  [ExportFormat.EXPORT_FORMAT_CSV]: 'csv',
  [ExportFormat.EXPORT_FORMAT_JSON]: 'json',
  [ExportFormat.EXPORT_FORMAT_UNSPECIFIED]: undefined,
} as const;

const NAME = /^export_segment_[\dA-Z-]+_(\d{1,12})\.(?:csv|json)\.zip$/;

export function fileOf({ accepted, acceptedAt }: Pick<Job, 'accepted' | 'acceptedAt'>): string | undefined {
  const extension = extensions[accepted.exportFormat];
  const seconds = Math.floor(acceptedAt.getTime() / 1000);
  return extension && `export_segment_${accepted.application || 'ALL'}_${seconds}.${extension}`;
}

export function archiveOf(job: Pick<Job, 'accepted' | 'acceptedAt' | 'status'>): string | undefined {
  const file = fileOf(job);
  return file !== undefined && job.status === 'Completed' ? `${file}.zip` : undefined;
}

export function acceptedIn(archive: string): number | undefined {
  const seconds = NAME.exec(archive)?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}
