// The simulators are a program of their own; specs of channels run against them all the same.
export * from '@tidings/simulators';
