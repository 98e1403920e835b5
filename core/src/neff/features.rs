//! Feature bits tell a loader what it must implement; their names also appear in `def.json`.
#![forbid(unsafe_code)]

/// A feature bit of the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// The bit.
    pub bit: u64,
    /// What a set bit means.
    pub name: &'static str,
    /// The string in `neff_features` of `def.json`, where there is one.
    pub def_name: Option<&'static str>,
    /// The module attribute that switches it on; `None` if it is computed or set by the packager.
    pub attribute: Option<u32>,
    /// The word by which packagers enable it on their command line, where there is one.
    pub option: Option<&'static str>,
}

const fn attribute(bit: u64, name: &'static str, def_name: Option<&'static str>, attribute: u32) -> Feature {
    Feature { bit, name, def_name, attribute: Some(attribute), option: None }
}

const fn computed(bit: u64, name: &'static str, def_name: Option<&'static str>) -> Feature {
    Feature { bit, name, def_name, attribute: None, option: None }
}

const fn option(feature: Feature, option: &'static str) -> Feature {
    Feature { option: Some(option), ..feature }
}

/// Raw `.bin` weight members are allowed.
pub const BIN_WEIGHTS: u64 = 0x1;
/// More than one physical core per logical core.
pub const VNC: u64 = 0x400;

/// All assigned bits (`spec/neff.md` section 3), in ascending order, which is also the order in which their strings are
/// put into `neff_features`.
pub const FEATURES: &[Feature] = &[
    option(computed(BIN_WEIGHTS, "bin-weights", None), "bin-weights"),
    option(attribute(0x2, "collectives carry an offset", Some("collective_has_offset"), 2), "collectives-offset"),
    option(attribute(0x4, "custom ops", Some("neff_feature_custom_ops"), 3), "custom-ops"),
    option(attribute(0x8, "coalesced collective-compute", Some("neff_coalesced_ccops"), 4), "coalesced-cc"),
    attribute(0x10, "queue-set instances", Some("neff_queue_set_instances"), 5),
    attribute(0x20, "functions", Some("neff_has_functions"), 6),
    attribute(0x40, "dynamic activation tables", Some("neff_feature_dynamic_pwp"), 7),
    attribute(0x80, "32-bit semaphore wait in indirect copies", Some("neff_feature_indirect_memcpy_32b_sem_wait"), 8),
    attribute(0x100, "bound check in indirect copies", Some("neff_feature_indirect_memcpy_bound_check"), 9),
    attribute(0x200, "3-D and 4-D DMA descriptors", Some("neff_feature_DMA_desc_higher_dim"), 10),
    computed(VNC, "several physical cores per logical core", Some("neff_feature_vnc")),
    computed(0x800, "DVE perf mode", None),
    attribute(0x1000, "DGE", None, 11),
    attribute(0x2000, "pool rsqrt", None, 12),
    computed(0x4000, "remote semaphore updates", Some("neff_feature_remote_sem")),
    attribute(0x8000, "DGE with cast", None, 13),
    attribute(0x1_0000, "vector DGE", None, 14),
    attribute(0x2_0000, "embedding stride 32", None, 15),
    attribute(0x10_0000, "SQI no re-arm", None, 20),
    attribute(0x20_0000, "hardware DGE", None, 17),
    attribute(0x40_0000, "partial SB-to-SB collective", None, 21),
    computed(0x100_0000, "arch level above 39", None),
    attribute(0x200_0000, "large tensors", None, 22),
];

/// The features of a mask, in ascending order.
pub fn features(bits: u64) -> impl Iterator<Item = &'static Feature> {
    FEATURES.iter().filter(move |feature| bits & feature.bit != 0)
}

/// The strings of `neff_features` for a mask, in the producer's order.
pub fn def_names(bits: u64) -> impl Iterator<Item = &'static str> {
    features(bits).filter_map(|feature| feature.def_name)
}

/// The bits of a mask that have no meaning here.
pub fn unassigned(bits: u64) -> u64 {
    FEATURES.iter().fold(bits, |rest, feature| rest & !feature.bit)
}

/// The bit that a module attribute switches on; `None` if the attribute is no feature.
pub fn bit_of_attribute(attribute: u32) -> Option<u64> {
    FEATURES.iter().find(|feature| feature.attribute == Some(attribute)).map(|feature| feature.bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    #[test]
    fn table_is_ascending_and_disjoint() {
        assert!(FEATURES.iter().all(|f| f.bit.is_power_of_two()));
        assert!(FEATURES.windows(2).all(|w| w[0].bit < w[1].bit));
        assert_eq!(FEATURES.iter().map(|f| f.bit).sum::<u64>(), 0x7FF_FFFF & !0x400_0000 & !0x80_0000 & !0xC_0000);
        // Every bit the published loader knows is assigned or one of the four free ones.
        assert_eq!(unassigned(0x7FF_FFFF), 0x4000000 | 0x800000 | 0x80000 | 0x40000);
    }

    #[test]
    fn names_come_in_the_order_of_the_producer() {
        let names: Vec<_> = def_names(u64::MAX).collect();
        assert_eq!(names.len(), 11);
        assert_eq!(
            (names[0], names[9], names[10]),
            ("collective_has_offset", "neff_feature_vnc", "neff_feature_remote_sem")
        );
        assert_eq!(def_names(0x1801).count(), 0);
    }

    #[test]
    fn attributes() {
        assert_eq!(bit_of_attribute(17), Some(0x20_0000));
        for none in [0, 1, 16, 18, 19, 23] {
            assert_eq!(bit_of_attribute(none), None);
        }
    }
}
