import { Inject, Injectable } from '@nestjs/common';
import { type HealthIndicatorResult, HealthIndicatorService } from '@nestjs/terminus';
import type { Readiness } from './readiness.ts';

export const READINESS = Symbol('readiness');

@Injectable()
export class DependenciesIndicator {
  readonly #indicators: HealthIndicatorService;
  readonly #readiness: Readiness;

  constructor(
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(READINESS) readiness: Readiness,
  ) {
    this.#indicators = indicators;
    this.#readiness = readiness;
  }

  async check(): Promise<HealthIndicatorResult> {
    const missing = Object.entries(await this.#readiness.waitingFor());
    return resultOf(missing.map(([name, reason]) => this.#indicators.check(name).down(reason)));
  }
}

@Injectable()
export class StartIndicator {
  readonly #dependencies: DependenciesIndicator;
  readonly #readiness: Readiness;

  constructor(
    @Inject(DependenciesIndicator) dependencies: DependenciesIndicator,
    @Inject(READINESS) readiness: Readiness,
  ) {
    this.#dependencies = dependencies;
    this.#readiness = readiness;
  }

  async check(): Promise<HealthIndicatorResult> {
    return this.#readiness.started ? {} : this.#dependencies.check();
  }
}

@Injectable()
export class NotesIndicator {
  readonly #indicators: HealthIndicatorService;
  readonly #readiness: Readiness;

  constructor(
    @Inject(HealthIndicatorService) indicators: HealthIndicatorService,
    @Inject(READINESS) readiness: Readiness,
  ) {
    this.#indicators = indicators;
    this.#readiness = readiness;
  }

  async check(): Promise<HealthIndicatorResult> {
    const notes = Object.entries(await this.#readiness.notes());
    return resultOf(notes.map(([name, text]) => this.#indicators.check(name).up(text)));
  }
}

const resultOf = (results: readonly HealthIndicatorResult[]): HealthIndicatorResult =>
  Object.fromEntries(results.flatMap((result) => Object.entries(result)));
