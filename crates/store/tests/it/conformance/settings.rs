use super::Place;

pub(crate) async fn the_first_value_of_a_setting_is_kept(place: &impl Place) {
    let (here, there) = (place.open().await, place.open().await);
    assert_eq!(here.setting("salt").await.unwrap(), None);
    assert_eq!(here.setting_or("salt", "first").await.unwrap(), "first");
    assert_eq!(there.setting_or("salt", "second").await.unwrap(), "first");
    assert_eq!(there.setting("salt").await.unwrap().as_deref(), Some("first"));
    assert_eq!(there.setting("pepper").await.unwrap(), None);
}
