import type { RequiredVariable, ServiceName } from '@tidings/runtime';
import type { ServiceProcess } from './service-process.ts';

export type Addresses = Readonly<Record<string, string>>;

export interface Running {
  readonly addresses: Addresses;
  close(): Promise<void>;
}

export interface Service<Name extends RequiredVariable, P extends ServiceName> {
  readonly name: ServiceName;
  readonly required: readonly Name[];
  readonly peers: readonly P[];
  /** Starts after the others, with gRPC at hand, and closes before them. @default false */
  readonly http?: boolean;
  readonly start: (process: ServiceProcess<Name, P>) => Promise<Running>;
}

export type AnyService = Service<RequiredVariable, ServiceName>;
