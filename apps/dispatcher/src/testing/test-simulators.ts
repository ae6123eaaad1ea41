// The one import of the simulators, which are a program of their own.
export * from '@tidings/simulators';
