//! The two blocks all controllers are made of: a low-pass filter and a PID.

use std::f64::consts::TAU;

/// A first-order low-pass filter.
#[derive(Clone, Debug, Default)]
pub struct LowPass {
    /// Its output.
    pub value: f64,
    gain: f64,
}

impl LowPass {
    /// A filter of cut-off `frequency` Hz for a sample every `dt` seconds.
    pub fn new(frequency: f64, dt: f64) -> Self {
        Self::with_time_constant(1.0 / (TAU * frequency), dt)
    }

    /// A filter of time constant `tau` seconds for a sample every `dt` seconds.
    pub fn with_time_constant(tau: f64, dt: f64) -> Self {
        Self { value: 0.0, gain: dt / (tau + dt) }
    }

    /// The output after the sample `input`.
    pub fn apply(&mut self, input: f64) -> f64 {
        self.value += (input - self.value) * self.gain;
        self.value
    }
}

/// A controller with proportional, integral and derivative terms.
#[derive(Clone, Debug)]
pub struct Pid {
    p: f64,
    i: f64,
    d: f64,
    integral_max: f64,
    dt: f64,
    integral: f64,
    previous: Option<f64>,
    slope: LowPass,
    terms: [f64; 3],
}

impl Pid {
    /// A controller without a derivative, stepped every `dt` seconds. The integral term stays within `integral_max`, in
    /// units of the output.
    pub fn new(p: f64, i: f64, integral_max: f64, dt: f64) -> Self {
        Self {
            p,
            i,
            d: 0.0,
            integral_max,
            dt,
            integral: 0.0,
            previous: None,
            slope: LowPass::default(),
            terms: [0.0; 3],
        }
    }

    /// Adds a derivative gain, filtered at `frequency` Hz.
    pub fn with_derivative(self, d: f64, frequency: f64) -> Self {
        Self { d, slope: LowPass::new(frequency, self.dt), ..self }
    }

    /// The output for `error`.
    pub fn update(&mut self, error: f64) -> f64 {
        let integral = self.integral + self.i * error * self.dt;
        self.integral = integral.clamp(-self.integral_max, self.integral_max);
        // Without a previous error there is no slope yet, rather than a huge one.
        let slope = (error - self.previous.unwrap_or(error)) / self.dt;
        self.previous = Some(error);
        self.terms = [self.p * error, self.integral, self.d * self.slope.apply(slope)];
        self.terms.iter().sum()
    }

    /// The proportional, integral and derivative parts of the output.
    pub fn terms(&self) -> [f64; 3] {
        self.terms
    }

    /// Forgets the past, as for a new flight.
    pub fn reset(&mut self) {
        self.integral = 0.0;
        self.previous = None;
        self.slope.value = 0.0;
        self.terms = [0.0; 3];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integral_stays_within_its_limit() {
        let mut pid = Pid::new(0.0, 1.0, 0.5, 0.1);
        for _ in 0..100 {
            assert!(pid.update(1.0) <= 0.5);
        }
        assert!(pid.update(-1.0) < 0.5);
    }
}
