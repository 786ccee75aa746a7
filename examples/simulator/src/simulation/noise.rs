//! Random numbers that are the same in every run with the same seed.

use rand_distr::{Distribution, StandardNormal};
use rand_pcg::Pcg32;
use rand_pcg::rand_core::{Rng, SeedableRng};

use super::math::Vec3;

/// A seeded source of Gaussian noise.
///
/// Every sensor forks its own, so that one sensor which draws more often leaves the noise of the others as it was.
#[derive(Clone, Debug)]
pub struct Noise(Pcg32);

impl Noise {
    /// A source that repeats itself for the same `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Pcg32::seed_from_u64(seed))
    }

    /// An independent source, itself determined by this one's seed.
    pub fn fork(&mut self) -> Self {
        Self::new(self.0.next_u64())
    }

    /// A Gaussian number with standard deviation `sigma`.
    pub fn gauss(&mut self, sigma: f64) -> f64 {
        let unit: f64 = StandardNormal.sample(&mut self.0);
        sigma * unit
    }

    /// A vector of three independent Gaussian numbers.
    pub fn gauss3(&mut self, sigma: f64) -> Vec3 {
        Vec3::new(self.gauss(sigma), self.gauss(sigma), self.gauss(sigma))
    }
}

/// A first-order Gauss-Markov process: noise that wanders, but never far from zero.
///
/// It models what changes slowly and at random, such as a sensor's bias or turbulent air.
#[derive(Clone, Debug)]
pub struct GaussMarkov {
    value: Vec3,
    decay: f64,
    kick: f64,
    noise: Noise,
}

impl GaussMarkov {
    /// A process of standard deviation `sigma` and correlation time `tau` seconds, stepped every `dt` seconds.
    pub fn new(sigma: f64, tau: f64, dt: f64, mut noise: Noise) -> Self {
        let decay = (-dt / tau).exp();
        Self {
            value: noise.gauss3(sigma),
            decay,
            // The variance that keeps sigma what it is.
            kick: sigma * (1.0 - decay * decay).sqrt(),
            noise,
        }
    }

    /// The value now.
    pub fn value(&self) -> Vec3 {
        self.value
    }

    /// The value one step later.
    pub fn step(&mut self) -> Vec3 {
        self.value = self.value * self.decay + self.noise.gauss3(self.kick);
        self.value
    }
}
