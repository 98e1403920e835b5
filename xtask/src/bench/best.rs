//! The shortest time of several rounds: what disturbs a measurement only makes it longer.

/// The best so far, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Best(Option<f64>);

impl Best {
    /// Another measurement.
    pub fn take(&mut self, seconds: f64) {
        if self.0.is_none_or(|best| seconds < best) {
            self.0 = Some(seconds);
        }
    }

    /// The shortest time, or infinity before there is one.
    pub fn seconds(self) -> f64 {
        self.0.unwrap_or(f64::INFINITY)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_time_counts() {
        let mut best = Best::default();
        assert_eq!(best.seconds(), f64::INFINITY);
        for seconds in [0.5, 0.25, 0.75] {
            best.take(seconds);
        }
        assert_eq!(best.seconds(), 0.25);
    }
}
